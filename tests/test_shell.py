"""What the commands owe their shell: a version, letters for any console, one sentence for what is wrong, quiet ends."""

import io
import os
import signal
import socket
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from functools import partial
from pathlib import Path

import pytest
import streamlit as st

from transformer_core import shell
from transformer_core.labsheet import command as labsheet
from transformer_core.training import command as training
from ui.command import serve

ROOT = Path(__file__).resolve().parents[1]
TRAIN, SHEETS, APP = "transformer_core.train", "transformer_core.labsheet", "ui.command"
COMMANDS = {TRAIN: training.main, SHEETS: labsheet.main, APP: serve}
SMALL = ["--vocab=7", "--length=6", "--d-model=8", "--h=2", "--batch=4"]


def command(module: str, *arguments: str) -> list[str]:
    return [sys.executable, "-m", module, *arguments]


def ended(module: str, *arguments: str, encoding: str = "utf-8") -> tuple[int, str, str]:
    """How a command ends in this process, and what it has said on a console of this encoding."""
    before, consoles = signal.getsignal(signal.SIGINT), [io.TextIOWrapper(io.BytesIO(), encoding) for _ in range(2)]
    with redirect_stdout(consoles[0]), redirect_stderr(consoles[1]), pytest.raises(SystemExit) as end:
        shell.run(partial(COMMANDS[module], arguments))
    signal.signal(signal.SIGINT, before)
    for console in consoles:
        console.flush()
    out, err = (console.buffer.getvalue().decode(encoding) for console in consoles)
    return int(end.value.code or 0), out, err


def test_one_place_says_the_release() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["tool"]["setuptools"]["dynamic"]["version"] == {"attr": "transformer_core.shell.RELEASE"}
    assert f'version: "{shell.RELEASE}"' in (ROOT / "CITATION.cff").read_text(encoding="utf-8")


@pytest.mark.long
@pytest.mark.parametrize("module", COMMANDS)
def test_every_command_has_one_sentence_for_what_it_does_not_know(module: str) -> None:
    done = subprocess.run(command(module, "--nonsense"), cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 1
    assert "--help" in done.stderr


@pytest.mark.parametrize(("module", "encoding"), [*zip(COMMANDS, ("cp1252", "ascii", "ascii"))])
def test_every_command_knows_its_version_and_its_help_can_be_read_on_a_console_with_few_letters(
    module: str, encoding: str
) -> None:
    assert ended(module, "--version") == (0, f"Glassformer {shell.RELEASE}\n", "")
    status, out, err = ended(module, "--help", encoding=encoding)
    assert (status, err) == (0, "")
    assert "usage: " in out
    assert "\\" not in out, "a sign that `shell.PLAIN` does not know"


def test_so_can_a_training_in_a_language_that_the_console_does_not_have() -> None:
    status, out, err = ended(TRAIN, "--task=translate", "--d-model=8", "--h=2", "--steps=1", encoding="cp1252")
    assert (status, err) == (0, "")
    assert "I often rest -> " in out
    assert f"instead of {'我经常休息'.encode('ascii', 'backslashreplace').decode()}" in out


@pytest.mark.long
@pytest.mark.parametrize(
    ("arguments", "status"), [(["--help"], {0, shell.UNREAD}), ([*SMALL, "--steps=9"], {shell.UNREAD})]
)
def test_nothing_is_said_where_nobody_reads_on(arguments: list[str], status: set[int]) -> None:
    """What argparse prints, some versions of Python give up without a word."""
    with subprocess.Popen(
        command(TRAIN, *arguments), cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()  # as `head -0` does
        assert process.stderr.read() == b""
    assert process.returncode in status


def test_where_the_app_cannot_be_served_is_one_sentence_of_the_command() -> None:
    status, out, err = ended(APP, "--headless", "--port=99999999")
    assert (status, out) == (2, "")
    assert "there is no port 99999999; ports are 1 to 65535" in err
    assert len(err.splitlines()) == 1


@pytest.fixture
def refused(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """What the app's command says in this process, of options with which nothing may be served."""
    monkeypatch.setattr(st, "App", None)

    def said(*options: str) -> str:
        with pytest.raises(SystemExit) as end:
            serve(["--headless", *options])
        assert end.value.code == 2
        return capsys.readouterr().err

    return said


@pytest.mark.parametrize(
    ("option", "words"),
    [
        ("--server.port=-1", "there is no port -1"),
        ("--address=192.0.2.1", "cannot listen at 192.0.2.1: "),  # which RFC 5737 gives to nobody
        ("--port=many", "invalid int value: 'many'"),
        ("app.py", "options are all that it takes"),
    ],
)
def test_why_it_cannot_be_served_is_said_before_it_is(refused: Callable[..., str], option: str, words: str) -> None:
    said = refused(option)
    assert words in said
    assert len(said.splitlines()) == 1


def test_a_port_that_another_has_is_named(refused: Callable[..., str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        assert f"cannot listen at 127.0.0.1, port {port}: " in refused("--address=127.0.0.1", f"--port={port}")


@pytest.mark.long
@pytest.mark.parametrize(
    ("module", "first"),
    [(TRAIN, "transformer_core.interrupted"), (SHEETS, "transformer_core.interrupted"), (APP, "ui.log")],
)
def test_ctrl_c_while_pytorch_is_still_imported_ends_it_without_a_traceback(module: str, first: str) -> None:
    environment = {**os.environ, "PYTHONPROFILEIMPORTTIME": "1"}  # says on stderr what has been imported
    with subprocess.Popen(
        command(module, "--help"), cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr is not None
        imported = iter(process.stderr)
        while not next(imported).rstrip().endswith(f" {first}"):
            pass
        process.send_signal(signal.SIGINT)
        assert "Traceback" not in process.stderr.read()
    assert process.returncode == 130


def test_what_does_not_fit_on_a_disk_is_a_sentence(capsys: pytest.CaptureFixture[str], monkeypatch) -> None:
    def full() -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(shell, "unread", lambda: None)
    with pytest.raises(SystemExit, match="2"):
        shell.run(full)
    assert capsys.readouterr().err == "No space left on device\n"


class Terminal:
    """A screen, and a clock beside it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *, is_one: bool = True) -> None:
        self.said, self.seconds, self.isatty = "", 0.0, lambda: is_one
        monkeypatch.setattr(sys, "stderr", self)
        monkeypatch.setattr(time, "monotonic", lambda: self.seconds)

    def write(self, text: str) -> None:
        self.said += text

    def flush(self) -> None:
        pass

    def lines(self) -> list[str]:
        return [line.strip() for line in self.said.split("\r") if line.strip()]


def test_a_long_work_says_how_far_it_is_and_how_long_it_will_take(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal(monkeypatch)
    progress = shell.ProgressLine(300, begun=100)
    for step in range(101, 301):
        terminal.seconds += 0.5
        progress.at(step)
    lines = terminal.lines()
    assert lines[0] == "step 106 of 300, 1 min 37 s left"  # three seconds for six steps, and 194 to go
    assert lines[1] == "step 107 of 300, 1 min 36 s left"
    assert lines[-2:] == ["step 299 of 300, 0 s left", "step 300 of 300, 0 s left"]
    progress.clear()
    assert terminal.said.endswith("\r" + " " * len(lines[-1]) + "\r")


def test_a_short_work_says_nothing_nor_one_that_nobody_looks_at(monkeypatch: pytest.MonkeyPatch) -> None:
    for is_one, quiet, steps in ((True, False, 5), (False, False, 50), (True, True, 50)):
        terminal = Terminal(monkeypatch, is_one=is_one)
        progress = shell.ProgressLine(50, quiet=quiet)
        for step in range(1, steps + 1):
            terminal.seconds += 0.5
            progress.at(step)
        progress.clear()
        assert terminal.said == ""


def test_the_first_signal_is_noted_the_second_interrupts_and_then_all_is_as_before() -> None:
    before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)
    with shell.StopSignal() as stop:
        assert stop.status == 0
        signal.raise_signal(signal.SIGTERM)
        assert stop.status == 143
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)) == before
