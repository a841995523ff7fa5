"""The design as facts: who may import whom, who may touch what, and how large a room may grow."""

import ast
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from fnmatch import fnmatch
from graphlib import TopologicalSorter
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.named_imports import imported_by_name
from ui.settings.chapters import BESIDE, CHAPTERS, MAP, TEACHERS

ROOT = Path(__file__).resolve().parents[1]


class Room(NamedTuple):
    rooms: str = ""
    packages: str = ""


PAPER = "transformer_core transformer_core.tasks transformer_core.decoding"
CORE = (
    f"{PAPER} transformer_core.external transformer_core.notes transformer_core.experiments transformer_core.verify "
    "transformer_core.training transformer_core.train transformer_core.exercises transformer_core.labsheet"
)
BELOW = f"ui.server ui.server.seat ui.server.inbox ui.figures ui.settings ui.script ui.text ui.theme {CORE}"
BELOW_FRAME = f"ui.address ui.reading ui.model {BELOW}"
BELOW_CHAPTERS = f"ui.section ui.scene ui.page ui.showing ui.frame ui.canvas {BELOW_FRAME}"
ROOMS_OF_SHARED = "ui.chapters.shared.forward ui.chapters.shared.difference"
BELOW_PAGES = f"ui.chapters.shared {ROOMS_OF_SHARED} {BELOW_CHAPTERS}"
PAGE = "streamlit numpy torch"
OWN = {name: f"ui.chapters.{name}" for name in (MAP, *CHAPTERS, *BESIDE)}

HEADS = "ui.chapters.heads"
ROOMS_OF_HEADS = {  # each with what it knows of the others
    f"{HEADS}.alignment": "",
    f"{HEADS}.what_if": f"{HEADS}.alignment",
    f"{HEADS}.ablation": f"{HEADS}.alignment {HEADS}.what_if",
    f"{HEADS}.why_word": f"{HEADS}.alignment",
}

RAY = ("ui.server.cluster.carried", "ui.server.cluster.trainer")  # below the bridge, one above the other

# Room by room, from the top: what it may import besides itself and the standard library.
# The longest name that fits a module is its room: ui.figures.curves stands in ui.figures, ui.frame.menu in ui.frame.
ROOMS = {
    "app": Room(f"{OWN[MAP]} ui.page ui.host", "streamlit"),
    **{f"pages.{name}": Room(f"{own} ui.page") for name, own in OWN.items()},
    "ui.command": Room("ui.host ui.settings ui.text transformer_core", "streamlit"),
    "ui.host": Room("ui.canvas ui.chapters ui.model ui.server ui.server.seat ui.settings ui.text", "streamlit"),
    # A chapter knows no other; the page about the chapters repeats what they ask.
    **{own: Room(f"{own}.figures {BELOW_PAGES}", PAGE) for own in OWN.values()},
    OWN[TEACHERS]: Room(f"ui.chapters {OWN[TEACHERS]}.figures {BELOW_PAGES}", PAGE),
    **{f"{own}.figures": Room("ui.figures ui.theme", "numpy") for own in OWN.values()},
    # Rooms within that chapter: what it shows beside its wall of heads.
    HEADS: Room(f"{HEADS}.values {' '.join(ROOMS_OF_HEADS)} {BELOW_PAGES}", PAGE),
    **{of: Room(f"{of}.board {HEADS}.values {known} {BELOW_PAGES}", PAGE) for of, known in ROOMS_OF_HEADS.items()},
    **{f"{of}.board": Room("ui.figures", "numpy") for of in ROOMS_OF_HEADS},
    f"{HEADS}.values": Room(BELOW_PAGES, PAGE),
    **{name: Room(f"ui.chapters.shared {BELOW_CHAPTERS}", PAGE) for name in ROOMS_OF_SHARED.split()},
    "ui.chapters.shared": Room(BELOW_CHAPTERS, PAGE),
    "ui.labsheet": Room("transformer_core ui.address ui.chapters ui.frame ui.settings transformer_core.labsheet"),
    "ui.chapters": Room("ui.page ui.section ui.settings transformer_core.labsheet"),
    "ui.section": Room("ui.page ui.showing ui.frame ui.settings"),
    "ui.scene": Room("ui.page ui.figures"),
    "ui.page": Room(f"ui.frame ui.canvas {BELOW_FRAME}", "streamlit"),
    "ui.showing": Room(f"ui.frame ui.canvas {BELOW_FRAME}", "streamlit numpy torch"),
    "ui.frame": Room(BELOW_FRAME, "streamlit"),
    "ui.model": Room(BELOW, "streamlit torch plotly"),
    "ui.reading": Room("ui.text transformer_core transformer_core.tasks transformer_core.training"),
    "ui.canvas": Room("ui.address ui.figures ui.script", "streamlit numpy"),
    "ui.address": Room("ui.settings ui.text", "streamlit"),
    "ui.server.seat": Room(f"ui.server ui.server.inbox {CORE}", "streamlit"),
    "ui.server.inbox": Room(f"ui.server {CORE}", "streamlit"),
    "ui.server.cluster.bridge": Room(f"ui.server ui.server.cluster {' '.join(RAY)} {CORE}", "numpy ray"),
    "ui.server.cluster.carried": Room(f"ui.server ui.server.cluster {RAY[1]} {CORE}", "numpy ray"),
    "ui.server.cluster.trainer": Room(f"ui.server ui.server.cluster {CORE}", "numpy ray torch"),
    "ui.server": Room(CORE, "numpy torch"),
    "ui.figures": Room("ui.theme", "plotly numpy"),
    "ui.settings": Room("ui.text"),
    "ui.script": Room(),
    "ui.text": Room(),
    "ui.theme": Room(),
    "ui.__init__": Room("ui.server"),
    # What is said to those outside.
    "transformer_core.__init__": Room(f"{PAPER} transformer_core.external transformer_core.notes"),
    "transformer_core.train": Room(f"{PAPER} transformer_core.training"),
    "transformer_core.labsheet": Room("transformer_core transformer_core.exercises", "numpy"),
    "transformer_core.exercises": Room(f"{PAPER} transformer_core.verify transformer_core.training", "torch numpy"),
    "transformer_core.training": Room(
        f"{PAPER} transformer_core.notes transformer_core.experiments", "torch numpy safetensors"
    ),
    "transformer_core.verify": Room(f"{PAPER} transformer_core.notes transformer_core.experiments", "torch numpy"),
    "transformer_core.experiments": Room(PAPER, "torch numpy"),
    "transformer_core.external": Room("transformer_core transformer_core.tasks transformer_core.notes", "torch numpy"),
    "transformer_core.notes": Room("transformer_core transformer_core.tasks", "torch"),
    "transformer_core.decoding": Room("transformer_core transformer_core.tasks", "torch"),
    "transformer_core.tasks": Room("transformer_core", "torch"),
    "transformer_core": Room("", "torch"),
}

# Names of Streamlit's, and the only room that may touch them; "" is none.
HOMES = {
    "session_state": "ui.address",
    "query_params": "ui.address",
    "cache_data": "",
    "cache_resource": "ui.canvas",
}

TOP_LEVEL = {
    *("app.py", "pages", "ui", "transformer_core", "assets", "examples", "tests", "deploy"),
    *("requirements.txt", "requirements-dev.txt", "requirements-cluster.txt", "constraints.txt"),
    *("pyproject.toml", "Makefile"),
    *("README.md", "README.zh.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "LICENSE"),
    *("OPERATING.md", "OPERATING.zh.md"),
}

LONGEST_FILE = 400


LEFT_BY_TOOLS = [".git", *(line.rstrip("/") for line in (ROOT / ".gitignore").read_text().split())]


def lying(folder: Path) -> Iterator[Path]:
    """The files in a folder and those below it, but for what tools leave: caches and environments."""
    for path in folder.iterdir():
        if not any(fnmatch(path.name, pattern) for pattern in LEFT_BY_TOOLS):
            yield from lying(path) if path.is_dir() else [path]


def files(root: Path) -> list[Path]:
    """The files of the project: those that git tracks; in an archive of the sources, or without git, all there are."""
    if not (root / ".git").exists() or shutil.which("git") is None:
        return sorted(lying(root))
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=root, capture_output=True, text=True, check=False)
    if listed.returncode:
        raise OSError(f"git cannot list the files of {root}: {listed.stderr.strip()}")
    return sorted(path for name in listed.stdout.split("\0") if name and (path := root / name).is_file())


FILES = files(ROOT)


def sources(*tops: str) -> list[Path]:
    return [path for path in FILES if path.suffix == ".py" and path.relative_to(ROOT).parts[0] in tops]


def our_sources() -> list[Path]:
    """The app and its rooms, with any file that stands beside them at the top."""
    return [path for path in FILES if path.suffix == ".py" and path.relative_to(ROOT).parts[0] != "tests"]


def module_name(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts)


def room_of(module: str) -> str | None:
    fitting = [room for room in ROOMS if module == room or module.startswith(room + ".")]
    return max(fitting, key=len, default=None)


def is_module(name: str) -> bool:
    path = ROOT.joinpath(*name.split("."))
    return name in ROOMS or path.is_dir() or path.with_suffix(".py").is_file()


def imported(module: str, source: str) -> Iterator[str]:
    """The modules that a source imports, wherever in it the import stands."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = module.split(".")[: -node.level] if node.level else []
            base = ".".join([*above, *filter(None, [node.module])])
            for alias in node.names:
                name = f"{base}.{alias.name}"
                yield name if is_module(name) else base


def strangers(module: str, source: str) -> list[str]:
    """What a source imports though the table gives its room no leave to."""
    room = room_of(module)
    if room is None:
        return ["nothing: it stands in no room"]
    allowed = {room, *ROOMS[room].rooms.split()}
    packages = {*ROOMS[room].packages.split(), *sys.stdlib_module_names}
    return [
        name
        for name in (*imported(module, source), *imported_by_name(source))
        if (room_of(name) not in allowed if is_module(name.split(".")[0]) else name.split(".")[0] not in packages)
    ]


DOORS = ("ui.section", "ui.scene", "ui.figures", "ui.model")


def behind_a_door(source: str) -> list[str]:
    """What a chapter takes from a file though a room offers it at its door."""
    offered = {name: door for door in DOORS for name in import_module(door).__all__}
    return [
        f"{alias.name} of {node.module}"
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.ImportFrom) and node.module not in (None, *DOORS)
        for alias in node.names
        if alias.name in offered and came_through(node.module, alias.name, offered[alias.name])
    ]


def came_through(module: str, name: str, door: str) -> bool:
    """Whether a door offers the very thing that a module calls by this name."""
    return module.startswith("ui.") and getattr(import_module(module), name) is getattr(import_module(door), name)


def borrowed(module: str, source: str) -> list[str]:
    """The names of Streamlit's that a source uses though another file is their home."""
    used: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Attribute):
            used.add(node.attr)
        elif isinstance(node, ast.ImportFrom):
            used.update(alias.name for alias in node.names)
    return sorted(name for name in used & HOMES.keys() if not f"{module}.".startswith(f"{HOMES[name]}."))


def requirements(name: str) -> list[str]:
    lines = (line.partition("#")[0].strip() for line in (ROOT / name).read_text().splitlines())
    return [line for line in lines if line and not line.startswith("-")]


def test_a_file_imports_only_what_its_room_may() -> None:
    assert [
        f"{module_name(path)} imports {name}"
        for path in our_sources()
        for name in strangers(module_name(path), path.read_text())
    ] == []


def test_a_chapter_takes_what_all_of_them_use_at_the_doors() -> None:
    chapters = [path for path in our_sources() if module_name(path).startswith("ui.chapters.")]
    assert [f"{module_name(path)}: {name}" for path in chapters for name in behind_a_door(path.read_text())] == []
    assert behind_a_door("from ui.figures.number import number") == ["number of ui.figures.number"]
    assert behind_a_door("from ui.page.typed import typed\nfrom ui.figures import number") == []


def test_no_imports_run_in_a_circle() -> None:
    """Within a room neither, nor for the types alone."""
    graph = {module_name(path).removesuffix(".__init__"): path.read_text() for path in our_sources()}
    TopologicalSorter({module: set(imported(module, source)) for module, source in graph.items()}).prepare()


@pytest.mark.parametrize(
    ("module", "line"),
    [
        ("ui.figures.curves", "import streamlit as st"),
        ("ui.figures.curves", "def draw():\n    from torch import Tensor"),
        ("ui.figures.curves", "from ui import text"),
        ("ui.figures.curves", "from ..frame import opening"),
        ("ui.theme", "import numpy"),
        ("ui.frame.opening", "from pages import masks"),
        ("transformer_core.masks", "import ui.theme"),
        ("transformer_core.masks", "from plotly import graph_objects"),
        ("pages.masks", "import app"),
        ("pages.masks", "from ui.chapters.layers import norm"),
        ("pages.masks", "import streamlit"),
        ("pages.masks", "from ui.frame import opening"),
        ("ui.chapters.masks.fill", "from ui.chapters.layers import norm"),
        ("ui.chapters.shared.tensors", "from ui.chapters.shared.forward import stops"),
        ("ui.chapters.shared.difference.board", "from ui.chapters.shared.forward import stops"),
        ("ui.chapters.heads.alignment.lines", "from ui.chapters.heads.what_if import change"),
        ("ui.chapters.heads.what_if.board", "import streamlit as st"),
        ("ui.chapters.heads.what_if.looks", "from ui.chapters.heads import wall"),
        ("ui.chapters.unheard_of", "from ui.frame import opening"),
        ("ui.frame.opening", "from ui.chapters.masks import fill"),
        ("ui.server.runs", "import streamlit"),
        ("ui.server.runs", "from ui.frame import opening"),
        ("transformer_core.masks", "from transformer_core.training import run"),
        ("transformer_core.experiments.depth", "from transformer_core.training import run"),
        ("transformer_core.attention", "from transformer_core.tasks.batch import Batch"),
        ("transformer_core.tasks.copy_task", "from transformer_core.decoding.greedy import greedy_decode"),
        ("transformer_core.decoding.cache", "from transformer_core.experiments import decoding_cost"),
        ("transformer_core.experiments.depth", "from transformer_core.notes import NoamOpt"),
        ("pages.masks", "import tests.conftest"),
        ("shell", "import os"),
        ("transformer_core.labsheet.judges", "import importlib\nimportlib.import_module('ui.chapters')"),
        ("transformer_core.labsheet.judges", "from importlib import import_module\nimport_module('ui.chapters:right')"),
        ("transformer_core.labsheet.judges", "WHO = {'question': 'ui.chapters'}\nimport_module(WHO[kind])"),
        ("transformer_core.labsheet.judges", "import_module(f'{app}.chapters')"),
        ("ui.chapters", "import_module(f'ui.host.{name}')"),
        ("ui.figures.curves", "__import__('streamlit')"),
    ],
)
def test_an_import_from_above_or_of_an_unlisted_package_is_found(module: str, line: str) -> None:
    assert strangers(module, line)


@pytest.mark.parametrize(
    ("module", "line"),
    [
        ("ui.figures.curves", "import plotly.graph_objects as go"),
        ("ui.figures.curves", "from ui import theme"),
        ("ui.figures.curves", "from . import matrix"),
        ("ui.text", "import tomllib"),
        ("transformer_core.masks", "from .attention import attention"),
        ("pages.masks", "from ui.chapters.masks import CONTENTS"),
        ("pages.masks", "from ui.chapters.masks import fill"),
        ("ui.chapters.masks.fill", "from ui.chapters.shared.forward import stops"),
        ("ui.chapters", "import_module(f'ui.chapters.{name}')"),
        ("ui.text", "import_module('tomllib')"),
    ],
)
def test_an_import_from_below_is_let_pass(module: str, line: str) -> None:
    assert strangers(module, line) == []


def test_only_the_address_touches_the_state_and_no_chapter_caches() -> None:
    assert [
        f"{module_name(path)} uses {name}"
        for path in our_sources()
        for name in borrowed(module_name(path), path.read_text())
    ] == []


def test_every_fragment_writes_what_it_sets_to_the_address() -> None:
    using = [module_name(path) for path in our_sources() if "st.fragment" in path.read_text()]
    assert using == ["ui.frame.fragment"]


def test_a_chapter_that_touches_the_state_is_found() -> None:
    assert borrowed("pages.masks", "import streamlit as st\nst.session_state['head'] = 2") == ["session_state"]
    assert borrowed("pages.masks", "@st.cache_data\ndef rows(): ...") == ["cache_data"]
    assert borrowed("ui.frame.opening", "from streamlit import query_params") == ["query_params"]
    assert borrowed("ui.address", "st.query_params['head'] = st.session_state['head']") == []


@pytest.mark.parametrize("name", ["requirements.txt", "requirements-dev.txt", "requirements-cluster.txt"])
def test_every_requirement_is_pinned(name: str) -> None:
    assert [line for line in requirements(name) if not re.fullmatch(r"[\w.-]+==\d[\w.+]*", line)] == []


def test_the_app_requires_exactly_the_packages_its_rooms_import() -> None:
    names = ("requirements.txt", "requirements-cluster.txt")
    listed = {name: {line.partition("==")[0] for line in requirements(name)} for name in names}
    used = {package for room in ROOMS.values() for package in room.packages.split()}
    assert listed["requirements.txt"] | listed["requirements-cluster.txt"] == used
    assert listed["requirements-cluster.txt"] == {"ray"}
    alone = {"ui.server.cluster.bridge", *RAY}  # a process of its own, and what it imports
    assert {module for module, room in ROOMS.items() if "ray" in room.packages.split()} == alone


def test_the_top_level_holds_only_the_agreed_names() -> None:
    names = {path.relative_to(ROOT).parts[0] for path in FILES}
    assert {name for name in names if not name.startswith(".")} - TOP_LEVEL == set()


def test_a_python_file_is_one_sitting() -> None:
    long = [p for p in [*our_sources(), *sources("tests")] if len(p.read_text().splitlines()) > LONGEST_FILE]
    assert long == []


def test_pages_is_flat() -> None:
    assert [path for path in FILES if path.parent != ROOT / "pages" and ROOT / "pages" in path.parents] == []


def test_what_lies_beside_the_project_is_not_looked_at(tmp_path: Path) -> None:
    for name in ("app.py", "notes.py", ".venv/bin/tool.py", "pages/__pycache__/masks.py", "pages/masks.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    mine = [tmp_path / "app.py", tmp_path / "pages" / "masks.py"]
    assert files(tmp_path) == sorted([*mine, tmp_path / "notes.py"])
    if shutil.which("git"):
        subprocess.run(["git", "init", "--quiet"], cwd=tmp_path, check=True)
        subprocess.run(["git", "add", *mine], cwd=tmp_path, check=True)
        assert files(tmp_path) == mine
        mine.pop().unlink()
        assert files(tmp_path) == mine


def test_a_broken_clone_says_so_and_without_git_all_that_lies_there_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "notes.py").touch()
    if shutil.which("git"):
        with pytest.raises(OSError, match="git cannot list the files"):
            files(tmp_path)
    monkeypatch.setenv("PATH", "")
    assert files(tmp_path) == [tmp_path / "notes.py"]
