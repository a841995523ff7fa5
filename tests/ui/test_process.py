"""What the server asks of its process: open files, answers that do not wait, and each trouble once in the log."""

import io
import logging
import subprocess
import sys
from pathlib import Path

import pytest

from tests.ui.conftest import Clock
from ui import process_setup
from ui.process_setup import Once

ROOT = Path(__file__).parents[2]


@pytest.fixture
def log(clock: Clock) -> tuple[logging.Logger, io.StringIO]:
    """A logger that is heard, each trouble once."""
    logger, heard = logging.Logger("some"), io.StringIO()
    logger.addHandler(logging.StreamHandler(heard))
    logger.addFilter(Once(clock))
    return logger, heard


def lines(heard: io.StringIO) -> list[str]:
    return heard.getvalue().splitlines()


def fail(logger: logging.Logger, error: Exception) -> None:
    try:
        raise error
    except type(error):
        logger.exception("a page failed\nand more of it")


def test_the_first_is_told_in_full_and_the_others_in_a_line(log: tuple[logging.Logger, io.StringIO]) -> None:
    logger, heard = log
    fail(logger, OSError(24, "Too many open files"))
    first = lines(heard)
    assert first[2].startswith("Traceback")
    assert "Too many open files" in first[-1]
    for _ in range(2499):
        fail(logger, OSError(24, "Too many open files"))
    others = lines(heard)[len(first) :]
    assert [line.split("for the ")[1].split("th")[0] for line in others] == ["10", "100", "1,000"]
    assert all(line.startswith("a page failed: OSError(24, 'Too many open files')") for line in others)


def test_another_trouble_is_told_in_full_too(log: tuple[logging.Logger, io.StringIO]) -> None:
    logger, heard = log
    for error in (OSError(24, "x"), ValueError("y"), OSError(24, "x"), ValueError("z")):
        fail(logger, error)
    assert heard.getvalue().count("Traceback") == 2


def test_what_goes_on_is_told_again_after_a_minute(log: tuple[logging.Logger, io.StringIO], clock: Clock) -> None:
    logger, heard = log
    for clock.now in (0.0, 30.0, 61.0, 90.0, 122.0):
        logger.warning("the disk is full")
    assert [line.partition(" (")[0] for line in lines(heard)] == ["the disk is full"] * 3
    assert lines(heard)[-1] == "the disk is full (the same for the 5th time; the first stands above in full)"


def test_what_is_no_trouble_is_told_each_time(log: tuple[logging.Logger, io.StringIO]) -> None:
    logger, heard = log
    logger.setLevel(logging.INFO)
    for _ in range(3):
        logger.info("a reader has come")
    assert len(lines(heard)) == 3


def test_it_remembers_no_more_troubles_than_it_tells_apart(log: tuple[logging.Logger, io.StringIO]) -> None:
    logger, _ = log
    (once,) = logger.filters
    assert isinstance(once, Once)
    for number in range(2 * process_setup.TOLD_APART):
        once.filter(logging.LogRecord("some", logging.ERROR, "file.py", number, "", (), None))
    assert len(once._seen) == process_setup.TOLD_APART


def begun(program: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)


def test_the_first_import_raises_the_limit_of_open_files_to_the_hard_one() -> None:
    program = (
        "import resource as r\n"
        "r.setrlimit(r.RLIMIT_NOFILE, (100, 700))\n"
        "import ui.theme\n"
        "print(*r.getrlimit(r.RLIMIT_NOFILE))"
    )
    assert begun(program).stdout.split() == ["700", "700"]


def test_a_system_that_has_no_such_limit_does_without() -> None:
    assert begun("import sys; sys.modules['resource'] = None\nimport ui; print('on')").stdout == "on\n"


def test_a_limit_that_is_refused_is_asked_for_once_more_as_far_as_macos_gives() -> None:
    """There the hard limit is said to be infinite, and the soft one may not be so."""
    program = (
        "import sys, types\n"
        "def set(which, limits):\n"
        "    if limits[0] > 10240: raise ValueError\n"
        "    print(limits)\n"
        "sys.modules['resource'] = types.SimpleNamespace(\n"
        "    RLIMIT_NOFILE=7, RLIM_INFINITY=2**63 - 1, getrlimit=lambda which: (256, 2**63 - 1), setrlimit=set)\n"
        "import ui"
    )
    assert begun(program).stdout == f"(10240, {2**63 - 1})\n"


def test_the_first_import_lets_every_connection_send_at_once() -> None:
    """One that is open, and one that a port takes later, which is opened as Streamlit opens its own."""
    program = (
        "import socket\n"
        "with socket.socket() as port:\n"
        "    port.bind(('127.0.0.1', 0)); port.listen()\n"
        "    def taken():\n"
        "        socket.create_connection(port.getsockname()).detach()\n"
        "        return port.accept()[0]\n"
        "    def waits(one): return not one.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)\n"
        "    first = taken(); print(waits(first))\n"
        "    import ui\n"
        "    second = taken(); print(waits(first), waits(second))\n"
        "    first.close(); second.close()"
    )
    assert begun(program).stdout.split() == ["True", "False", "False"]


def test_what_nobody_catches_is_told_once_as_well() -> None:
    program = (
        "import threading, ui\n"
        "class Frail:\n"
        "    def __del__(self): raise OSError(24, 'Too many open files')\n"
        "for _ in range(300): Frail()\n"
        "for _ in range(300):\n"
        "    thread = threading.Thread(target=lambda: 1 / 0); thread.start(); thread.join()\n"
    )
    said = begun(program).stderr
    assert said.count("Traceback") == 2
    assert "OSError(24, 'Too many open files') (the same for the 100th time" in said
    assert "ZeroDivisionError('division by zero') (the same for the 100th time" in said
