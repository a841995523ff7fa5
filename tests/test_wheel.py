"""The wheel: built as anybody would, installed where nothing of the sources is, and tried from an empty folder."""

import shutil
import subprocess
import sys
import sysconfig
import time
import tomllib
import venv
import zipfile
from collections.abc import Iterator
from email.parser import Parser
from pathlib import Path

import pytest

from tests.browser.driver import AGES, Server, running
from tests.test_structure import FILES, ROOT, requirements
from tests.wire import Reader
from transformer_core.shell import RELEASE
from ui.text import Words

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
TREE = ("app.py", "pages", "ui", "assets")
LEFT_OUT = ROOT / "assets" / "screenshots"
SHORT = {"lang": "en", "steps": "10", "d_model": "8", "h": "2", "batch": "4", "vocab": "7", "length": "6"}
PIP = (sys.executable, "-m", "pip", "--isolated", "--disable-pip-version-check", "--quiet")

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built in a copy of the sources, which `build` and the like would litter."""
    sources, out = tmp_path_factory.mktemp("sources"), tmp_path_factory.mktemp("dist")
    for path in FILES:
        if "tests" not in path.relative_to(ROOT).parts and LEFT_OUT not in path.parents:
            copy = sources / path.relative_to(ROOT)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, copy)
    command = [*PIP, "wheel", "--no-deps", "--no-index", "--no-build-isolation", "--wheel-dir", str(out), str(sources)]
    subprocess.run(command, check=True)
    (built,) = out.iterdir()
    return built


@pytest.fixture(scope="module")
def bin(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The commands of a fresh environment that has the wheel, and the packages it needs from the one of the tests."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, symlinks=sys.platform != "win32")
    paths = {"base": str(folder), "platbase": str(folder)}
    own = Path(sysconfig.get_path("purelib", "venv", paths))
    own.joinpath("there.pth").write_text(sysconfig.get_path("purelib"), encoding="utf-8")
    commands = Path(sysconfig.get_path("scripts", "venv", paths))
    install = ["--python", str(commands / "python"), "install", "--no-deps", "--no-index", str(wheel)]
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


def test_the_wheel_has_the_whole_app_and_nothing_else(wheel: Path) -> None:
    in_tree = [path.relative_to(ROOT) for path in FILES if LEFT_OUT not in path.parents]
    app = {f"glassformer/{path.as_posix()}" for path in in_tree if path.parts[0] in TREE}
    core = {path.as_posix() for path in in_tree if path.parts[0] == "transformer_core"}
    with zipfile.ZipFile(wheel) as file:
        names = {name for name in file.namelist() if ".dist-info/" not in name}
    assert names == app | core | {"glassformer/.streamlit/config.toml"}


def test_it_needs_what_the_app_needs(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as file:
        (name,) = (name for name in file.namelist() if name.endswith("/METADATA"))
        metadata = Parser().parsestr(file.read(name).decode())
    assert sorted(metadata.get_all("Requires-Dist", [])) == sorted(requirements("requirements.txt"))
    assert metadata["Version"] == RELEASE


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
