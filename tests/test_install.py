"""What `make run` installs: PyTorch's small CPU build where its page answers, the usual pins where it does not."""

import os
import re
import socket
import subprocess
import sys
import threading
import zipfile
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
TORCH = re.findall(r"^torch==(.*)$", (ROOT / "requirements.txt").read_text(), re.MULTILINE)[0]
# In the place of an environment's Python: writes down what pip is asked for, and knows no package that is installed.
PYTHON = """#!/bin/sh
case "$1" in
-c) exec {python} {without_packages} "$@" ;;
esac
shift 2
echo "$*" >> {asked}
case "$*" in *--index-url*) exit {answer} ;; esac
"""


class Environment:
    """One that `make` fills, with what it has asked pip for and what it has said."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.asked: list[str] = []
        self.said = ""

    def fill(self, *settings: str, answer: int = 0, has_torch: bool = False) -> int:
        """Run `make`, as on Linux unless `settings` say otherwise; `answer` is pip's to what asks for an index."""
        python, asked = self.folder / "bin" / "python", self.folder / "asked"
        python.parent.mkdir(parents=True, exist_ok=True)
        without = "-I" if has_torch else "-IS"
        text = PYTHON.format(python=sys.executable, without_packages=without, asked=asked, answer=answer)
        python.write_text(text, encoding="utf-8")
        python.chmod(0o755)
        outside = {name: value for name, value in os.environ.items() if name not in ("TORCH_INDEX", "MAKEFLAGS")}
        command = ["make", f"{self.folder}/.app", f"VENV={self.folder}", "SYSTEM=Linux", *settings]
        done = subprocess.run(command, cwd=ROOT, env=outside, capture_output=True, text=True, check=False)
        self.asked = [line.replace("--disable-pip-version-check ", "") for line in asked.read_text().splitlines()]
        self.said = done.stdout
        return done.returncode


class Page(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def environment(tmp_path: Path) -> Environment:
    return Environment(tmp_path / "venv")


@pytest.fixture
def page(tmp_path: Path) -> Iterator[str]:
    """The address of a page that lists the files in `page/torch`, as PyTorch's does."""
    (tmp_path / "page" / "torch").mkdir(parents=True)
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Page, directory=str(tmp_path / "page"))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def wheel(folder: Path, name: str, version: str, needs: str = "") -> None:
    """As much of a wheel as an installer looks at."""
    folder.mkdir(parents=True, exist_ok=True)
    info = f"{name}-{version}.dist-info"
    with zipfile.ZipFile(folder / f"{name}-{version}-py3-none-any.whl", "w") as file:
        requires = f"Requires-Dist: {needs}\n" if needs else ""
        file.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{requires}")
        file.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        file.writestr(f"{info}/RECORD", "")


def index(page: str) -> str:
    return f"install -c constraints.txt --no-deps --index-url {page}"


def test_the_cpu_build_is_taken_where_its_page_lists_it(environment: Environment, page: str, tmp_path: Path) -> None:
    wheel(tmp_path / "page" / "torch", "torch", f"{TORCH}+cpu")
    assert environment.fill(f"CPU_PAGE={page}") == 0
    first, usual = environment.asked
    assert first.startswith(index(page))
    assert "--retries 0" in first
    assert first.split()[-1] == "torch"
    assert usual == "install -r requirements.txt"
    assert f"PyTorch is the small CPU build from {page}" in environment.said


def test_a_page_without_the_pinned_build_leaves_the_usual_pins(
    environment: Environment, page: str, tmp_path: Path
) -> None:
    for version in (TORCH, "0.9.0+cpu"):
        wheel(tmp_path / "page" / "torch", "torch", version)
    assert environment.fill(f"CPU_PAGE={page}") == 0
    assert environment.asked == ["install -r requirements.txt"]
    assert f"{page} was not reached or has no fitting PyTorch {TORCH}" in environment.said


def test_a_build_that_cannot_be_had_leaves_the_usual_pins(environment: Environment, page: str, tmp_path: Path) -> None:
    """It is listed, but for other Pythons, or its download breaks off."""
    wheel(tmp_path / "page" / "torch", "torch", f"{TORCH}+cpu")
    assert environment.fill(f"CPU_PAGE={page}", answer=1) == 0
    assert len(environment.asked) == 2
    assert environment.asked[1] == "install -r requirements.txt"
    assert "taking the usual index's" in environment.said


@pytest.mark.parametrize("answers", [False, True])
def test_a_page_that_is_not_reached_costs_seconds_and_leaves_the_usual_pins(
    environment: Environment, answers: bool
) -> None:
    """The port is closed, or whoever listens there says nothing."""
    with socket.socket() as port:
        port.bind(("127.0.0.1", 0))
        if answers:
            port.listen()
        address = f"http://127.0.0.1:{port.getsockname()[1]}"
        assert environment.fill(f"CPU_PAGE={address}", "TRY=1") == 0
    assert environment.asked == ["install -r requirements.txt"]
    assert f"{address} was not reached" in environment.said


@pytest.mark.parametrize("settings", [("TORCH_INDEX=none",), ("SYSTEM=Darwin",)])
def test_nothing_is_tried_where_the_reader_or_the_system_needs_no_such_build(
    environment: Environment, page: str, settings: tuple[str, ...], tmp_path: Path
) -> None:
    wheel(tmp_path / "page" / "torch", "torch", f"{TORCH}+cpu")
    assert environment.fill(f"CPU_PAGE={page}", *settings) == 0
    assert environment.asked == ["install -r requirements.txt"]


def test_nothing_is_fetched_where_the_pinned_pytorch_is_there_of_any_build(
    environment: Environment, page: str, tmp_path: Path
) -> None:
    wheel(tmp_path / "page" / "torch", "torch", f"{TORCH}+cpu")
    assert environment.fill(f"CPU_PAGE={page}", has_torch=True) == 0
    assert environment.asked == ["install -r requirements.txt"]


def test_an_index_that_the_reader_names_is_the_one_and_must_have_it(environment: Environment, page: str) -> None:
    named = "http://127.0.0.1:9/else"
    assert environment.fill(f"CPU_PAGE={page}", f"TORCH_INDEX={named}") == 0
    assert environment.asked == [f"{index(named)} torch", "install -r requirements.txt"]
    (environment.folder / "asked").unlink()
    (environment.folder / ".app").unlink()
    assert environment.fill(f"CPU_PAGE={page}", f"TORCH_INDEX={named}", answer=1) != 0
    assert environment.asked == [f"{index(named)} torch"]


def hint() -> str:
    """The line of requirements.txt that spares a host the CUDA packages, without its mark."""
    (line,) = re.findall(r"^# ?(--find-links .*)$", (ROOT / "requirements.txt").read_text(), re.MULTILINE)
    return line


def test_the_line_for_a_host_names_the_page_that_make_tries() -> None:
    (page,) = re.findall(r"^CPU_PAGE := (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert hint() == f"--find-links {page}/torch/"


@pytest.mark.parametrize("with_line", [True, False])
def test_with_that_line_pip_takes_the_cpu_build_and_no_cuda(page: str, tmp_path: Path, with_line: bool) -> None:
    """Of the requirements themselves, PyTorch's line alone."""
    wheel(tmp_path / "page" / "torch", "torch", f"{TORCH}+cpu")
    wheel(tmp_path / "usual", "torch", TORCH, "nvidia-cublas")
    cublas = re.findall(r"^nvidia-cublas==(\S+)", (ROOT / "constraints.txt").read_text(), re.MULTILINE)[0]
    wheel(tmp_path / "usual", "nvidia_cublas", cublas)
    text = (ROOT / "requirements.txt").read_text().replace("-c ", f"-c {ROOT}/")
    if with_line:
        text = text.replace(f"# {hint()}", f"--find-links {page}/torch/")
    kept = [line for line in text.splitlines() if line.startswith(("-", "#", "torch"))]
    (tmp_path / "requirements.txt").write_text("\n".join(kept))
    pip = [sys.executable, "-m", "pip", "--isolated", "install", "--dry-run", "--ignore-installed", "--no-index"]
    command = [*pip, "--find-links", str(tmp_path / "usual"), "-r", "requirements.txt"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    (installs,) = re.findall(r"Would install (.*)", done.stdout.replace("_", "-"))
    assert installs.split() == ([f"torch-{TORCH}+cpu"] if with_line else [f"nvidia-cublas-{cublas}", f"torch-{TORCH}"])


@pytest.mark.parametrize("lang", ["", ".zh"])
def test_the_documents_tell_of_that_line_and_of_the_ways_round_the_page(lang: str) -> None:
    text = "".join((ROOT / "docs" / f"{name}{lang}.md").read_text(encoding="utf-8") for name in ("install", "hosting"))
    assert all(f"`{named}" in text for named in ("--find-links`", "make run TORCH_INDEX=", "TORCH_INDEX=none`"))
    assert "torch @" not in text
