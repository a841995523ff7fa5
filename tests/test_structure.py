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

import pytest

from tests.import_table import CARRIED, ROOMS
from tests.named_imports import imported_by_name

ROOT = Path(__file__).resolve().parents[1]

# Names of Streamlit's, and the only room that may touch them; "" is none.
HOMES = {
    "session_state": "ui.state",
    "query_params": "ui.state",
    "cache_data": "",
    "cache_resource": "ui.components",
}

TOP_LEVEL = {
    *("app.py", "pages", "ui", "transformer_core", "assets", "examples", "tests", "benchmarks", "deploy"),
    *(f"requirements{name}.txt" for name in ("", "-dev", "-cluster", "-docs")),
    "constraints.txt",
    *("pyproject.toml", "Makefile"),
    *("README.md", "README.zh.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "LICENSE"),
    *("docs", "CITATION.cff"),
}

MEASURING = ("tests", "benchmarks")  # what may import anything, and is imported by no room

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
    return [path for path in FILES if path.suffix == ".py" and path.relative_to(ROOT).parts[0] not in MEASURING]


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


DOORS = ("ui.sections", "ui.sections.scene", "ui.figures", "ui.model")


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
    assert behind_a_door("from ui.sections.sequence_fields import typed\nfrom ui.figures import number") == []


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
        ("ui.figures.curves", "from ..frame import header"),
        ("ui.theme", "import numpy"),
        ("ui.frame.header", "from pages import masks"),
        ("transformer_core.masks", "import ui.theme"),
        ("transformer_core.masks", "from plotly import graph_objects"),
        ("pages.masks", "import app"),
        ("pages.masks", "from ui.chapters.layers import norm"),
        ("pages.masks", "import streamlit"),
        ("pages.masks", "from ui.frame import header"),
        ("ui.chapters.masks.fill", "from ui.chapters.layers import norm"),
        ("ui.chapters.shared.tensors", "from ui.chapters.shared.forward import stops"),
        ("ui.chapters.shared.difference.board", "from ui.chapters.shared.forward import stops"),
        ("ui.chapters.heads.alignment.sentences", "from ui.chapters.heads.what_if import change"),
        ("ui.chapters.heads.what_if.board", "import streamlit as st"),
        ("ui.chapters.heads.what_if.looks", "from ui.chapters.heads import wall"),
        ("ui.chapters.unheard_of", "from ui.frame import header"),
        ("ui.frame.header", "from ui.chapters.masks import fill"),
        ("ui.training_service.runs", "import streamlit"),
        ("ui.training_service.runs", "from ui.frame import header"),
        ("transformer_core.masks", "from transformer_core.training import run"),
        ("transformer_core.experiments.depth", "from transformer_core.training import run"),
        ("transformer_core.attention", "from transformer_core.tasks.batch import Batch"),
        ("transformer_core.tasks.copy_task", "from transformer_core.decoding.greedy import greedy_decode"),
        ("transformer_core.decoding.cache", "from transformer_core.experiments import decoding_cost"),
        ("transformer_core.experiments.depth", "from transformer_core.notes import NoamOpt"),
        ("pages.masks", "import tests.conftest"),
        ("pages.masks", "from benchmarks import table"),
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
    assert borrowed("ui.frame.header", "from streamlit import query_params") == ["query_params"]
    assert borrowed("ui.state", "st.query_params['head'] = st.session_state['head']") == []


@pytest.mark.parametrize("name", ["requirements.txt", "requirements-dev.txt", "requirements-cluster.txt"])
def test_every_requirement_is_pinned(name: str) -> None:
    assert [line for line in requirements(name) if not re.fullmatch(r"[\w.-]+==\d[\w.+]*", line)] == []


def test_the_app_requires_exactly_the_packages_its_rooms_import() -> None:
    names = ("requirements.txt", "requirements-cluster.txt")
    listed = {name: {line.partition("==")[0] for line in requirements(name)} for name in names}
    used = {package for room in ROOMS.values() for package in room.packages.split()}
    assert listed["requirements.txt"] | listed["requirements-cluster.txt"] == used
    assert listed["requirements-cluster.txt"] == {"ray"}
    alone = {"ui.training_service.ray.bridge", CARRIED}  # a process of its own, and what it imports
    assert {module for module, room in ROOMS.items() if "ray" in room.packages.split()} == alone


def test_the_top_level_holds_only_the_agreed_names() -> None:
    names = {path.relative_to(ROOT).parts[0] for path in FILES}
    assert {name for name in names if not name.startswith(".")} - TOP_LEVEL == set()


def test_a_python_file_is_one_sitting() -> None:
    long = [p for p in [*our_sources(), *sources(*MEASURING)] if len(p.read_text().splitlines()) > LONGEST_FILE]
    assert long == []


# A path as a comment or a text writes it: from the top, with its suffix
WRITTEN = re.compile(
    r"\b(?:ui|transformer_core|assets|tests|docs|benchmarks|deploy|examples)/[\w/.-]+\.(?:py|js|css|toml|md|sh)\b"
)
OF_A_TEST = {"tests/test_failing.py"}  # made for a moment
READ = {".py", ".js", ".css", ".toml", ".md", ".yml", ".txt"}


def test_every_file_that_a_text_names_is_there() -> None:
    texts = [path for path in FILES if path.suffix in READ and path.name != "CHANGELOG.md"]
    missing = {
        f"{path.relative_to(ROOT)}: {name}"
        for path in texts
        for name in WRITTEN.findall(path.read_text(encoding="utf-8"))
        if name not in OF_A_TEST and not (ROOT / name).exists()
    }
    assert len(texts) > 500
    assert missing == set()


def classes(module: str, source: str) -> list[tuple[str, str]]:
    """The names of a file's classes, each with where it stands."""
    return [(node.name, module) for node in ast.parse(source).body if isinstance(node, ast.ClassDef)]


def named_twice(found: list[tuple[str, str]]) -> dict[str, list[str]]:
    homes: dict[str, list[str]] = {}
    for name, module in found:
        homes.setdefault(name, []).append(module)
    return {name: modules for name, modules in homes.items() if len(modules) > 1}


def test_one_word_is_one_class() -> None:
    found = [each for path in our_sources() for each in classes(module_name(path), path.read_text())]
    assert named_twice(found) == {}
    assert named_twice([*classes("a", "class Line: ..."), *classes("b", "class Line: ...\nclass Dot: ...")]) == {
        "Line": ["a", "b"]
    }


BY_PLACE = 8  # values that a class may be given without their names


def nameless(module: str, source: str) -> list[str]:
    """The values that are made of more parts than a reader can tell by their places."""
    calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call) and len(node.args) > BY_PLACE]
    return [
        f"{module}: {call.func.id}" for call in calls if isinstance(call.func, ast.Name) and call.func.id[0].isupper()
    ]


def test_what_is_made_of_many_parts_names_them() -> None:
    found = [each for path in our_sources() for each in nameless(module_name(path), path.read_text())]
    assert found == []
    assert nameless("a", f"Dot({', '.join('123456789')})\nDot({', '.join('12345678')}, x=9)") == ["a: Dot"]


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


def test_a_softmax_that_is_shown_as_code_comes_with_the_steps_it_is_made_of() -> None:
    """Its function leaves the probabilities to PyTorch: exponentials and their total stand in what it returns."""
    listed = [
        (module_name(path), {each.id for each in node.elts if isinstance(each, ast.Name)})
        for path in our_sources()
        if module_name(path).startswith("ui.")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.List | ast.Tuple)
    ]
    shown = [(module, names) for module, names in listed if "softmax_steps" in names]
    assert len(shown) > 5
    assert [module for module, names in shown if "SoftmaxSteps" not in names] == []
