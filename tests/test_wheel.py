"""The wheels of the app and of the library: built as anybody would, installed where no sources are, and tried there."""

import re
import shutil
import subprocess
import sys
import sysconfig
import time
import tomllib
import venv
import zipfile
from collections.abc import Iterator
from email.message import Message
from email.parser import Parser
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from tests.browser.driver import AGES, Server, running
from tests.test_install import wheel
from tests.test_structure import FILES, ROOT, requirements
from tests.wire import Reader
from transformer_core.shell import RELEASE
from ui.text import Words

CORE = tomllib.loads((ROOT / "transformer_core" / "pyproject.toml").read_text(encoding="utf-8"))["project"]
BESIDE = {"transformer_core/pyproject.toml", "transformer_core/README.md"}  # in the sources, and not in the package
TREE = ("app.py", "pages", "ui", "assets")
LEFT_OUT = ROOT / "assets" / "screenshots"
SHORT = {"lang": "en", "steps": "10", "d_model": "8", "h": "2", "batch": "4", "vocab": "7", "length": "6"}
PIP = (sys.executable, "-m", "pip", "--isolated", "--disable-pip-version-check", "--quiet")

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """By the distribution's name. Built in a copy of the sources, which `build` and the like would litter."""
    sources, out = tmp_path_factory.mktemp("sources"), tmp_path_factory.mktemp("dist")
    for path in FILES:
        if "tests" not in path.relative_to(ROOT).parts and LEFT_OUT not in path.parents:
            copy = sources / path.relative_to(ROOT)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, copy)
    command = [*PIP, "wheel", "--no-deps", "--no-index", "--no-build-isolation", "--wheel-dir", str(out)]
    subprocess.run([*command, str(sources), str(sources / "transformer_core")], check=True)
    return {path.name.partition("-")[0]: path for path in out.iterdir()}


@pytest.fixture(scope="module")
def core(wheels: dict[str, Path]) -> Path:
    return wheels["glassformer_core"]


@pytest.fixture(scope="module")
def bin(wheels: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The commands of a fresh environment that has both wheels, and the packages it needs from the one of the tests."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, symlinks=sys.platform != "win32")
    paths = {"base": str(folder), "platbase": str(folder)}
    own = Path(sysconfig.get_path("purelib", "venv", paths))
    own.joinpath("there.pth").write_text(sysconfig.get_path("purelib"), encoding="utf-8")
    commands = Path(sysconfig.get_path("scripts", "venv", paths))
    install = ["--python", str(commands / "python"), "install", "--no-deps", "--no-index", *map(str, wheels.values())]
    subprocess.run([*PIP, *install], check=True)
    return commands


@pytest.fixture(scope="module")
def server(bin: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    command = [str(bin / "glassformer"), "--port=0", "--address=127.0.0.1", "--headless", "--lang=zh", "--present"]
    with running(command, cwd=tmp_path_factory.mktemp("empty"), environment={"PYTHONPATH": ""}) as server:
        yield server


def said(bin: Path, folder: Path, *command: str) -> str:
    done = subprocess.run([bin / command[0], *command[1:]], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout


def content(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as file:
        return {name for name in file.namelist() if ".dist-info/" not in name}


def metadata(wheel: Path) -> Message:
    with zipfile.ZipFile(wheel) as file:
        (name,) = (name for name in file.namelist() if name.endswith("/METADATA"))
        return Parser().parsestr(file.read(name).decode())


def test_the_wheels_have_the_app_and_the_library_and_nothing_else(wheels: dict[str, Path]) -> None:
    in_tree = [path.relative_to(ROOT) for path in FILES if LEFT_OUT not in path.parents]
    app = {f"glassformer/{path.as_posix()}" for path in in_tree if path.parts[0] in TREE}
    core = {path.as_posix() for path in in_tree if path.parts[0] == "transformer_core"} - BESIDE
    assert content(wheels["glassformer"]) == app | {"glassformer/.streamlit/config.toml"}
    assert content(wheels["glassformer_core"]) == core


def test_the_app_needs_its_library_and_its_pins_and_the_library_lower_bounds_of_two(wheels: dict[str, Path]) -> None:
    app, core = metadata(wheels["glassformer"]), metadata(wheels["glassformer_core"])
    pins = [*requirements("requirements.txt"), f"{CORE['name']}=={RELEASE}"]
    assert sorted(app.get_all("Requires-Dist", [])) == sorted(pins)
    needed = [need for need in map(Requirement, core.get_all("Requires-Dist", [])) if need.marker is None]
    assert {need.name for need in needed} == {"torch", "numpy"}
    assert all(part.operator == ">=" for need in needed for part in need.specifier)
    assert app["Version"] == core["Version"] == RELEASE


def test_the_library_installs_beside_another_torch_and_what_needs_it(core: Path, tmp_path: Path) -> None:
    """Both are as much of a wheel as an installer looks at; the index has newer ones, which nothing asks for."""
    for name, version, needs in (
        ("torch", "2.8.0+cu128", ""),
        ("numpy", "2.2.0", ""),
        ("vision", "0.23", "torch==2.8.0"),
    ):
        wheel(tmp_path / "there", name, version, needs)
    for name, version in (("torch", "2.99.0"), ("numpy", "2.99.0")):
        wheel(tmp_path / "index", name, version)
    venv.create(tmp_path / "environment", symlinks=sys.platform != "win32")
    python = Path(sysconfig.get_path("scripts", "venv", {"base": str(tmp_path / "environment")})) / "python"
    pip = (*PIP[:-1], "--python", str(python), "install", "--no-index")
    there = [str(path) for path in (tmp_path / "there").iterdir()]
    subprocess.run([*pip, *there], check=True, capture_output=True)
    dry = [*pip, "--dry-run", "--find-links", str(tmp_path / "index"), str(core)]
    told = subprocess.run(dry, check=True, capture_output=True, text=True).stdout
    assert re.findall(r"Would install (.*)", told) == [f"glassformer-core-{RELEASE}"]


def test_its_command_says_what_can_be_chosen(bin: Path, tmp_path: Path) -> None:
    told = said(bin, tmp_path, "glassformer", "--help")
    assert all(f" {name} " in told for name in ("--port", "--address", "--headless", "--lang", "--model", "--present"))


def test_the_core_can_be_imported_anywhere_and_nothing_of_the_app_is_in_its_way(bin: Path, tmp_path: Path) -> None:
    program = (
        "import importlib.util, sys, transformer_core\n"
        "print(transformer_core.make_model(11, 11, N=1).generator is not None, transformer_core.__file__)\n"
        "print([name for name in ('app', 'ui', 'pages', 'assets', 'tests') if importlib.util.find_spec(name)])"
    )
    made, found = said(bin, tmp_path, "python", "-c", program).splitlines()
    assert made.startswith(f"True {bin.parent}")
    assert found == "[]"


def test_the_app_opens_with_the_settings_that_were_asked_for(server: Server) -> None:
    assert f"To open: {server.url}/?lang=zh&present=1" in server.log.read_text()
    with Reader(server.url, "masks", {"lang": "zh", "size": "7"}) as reader:
        assert reader.opened.exceptions == []
        assert "English" in reader.widgets
        assert reader.widgets["masks:size"].proto.default == [7]


def test_a_run_trains(server: Server) -> None:
    """In a worker of its own, which has to find the app as well."""
    with Reader(server.url, "training", SHORT) as reader:
        answer = reader.press(Words("training", "en")("start"))
        end = time.monotonic() + AGES / 1000
        while not any("step 10 ·" in text.body for text in answer.shown("markdown")) and time.monotonic() < end:
            time.sleep(0.1)
            answer = reader.rerun()
        assert any("step 10 ·" in text.body for text in answer.shown("markdown"))
    assert "Traceback" not in server.log.read_text()
