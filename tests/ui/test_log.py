"""The log as JSON: what a line says, and what it does not."""

import json
import logging
import os
import subprocess
import sys
from typing import Any

from tests.test_structure import ROOT
from ui.log import as_json

TYPED = "three happy cats"


def logged(error: Exception | None = None) -> dict[str, Any]:
    """A record of this error as its line says it."""
    try:
        if error is not None:
            raise error
        told = None
    except Exception as caught:
        told = (type(caught), caught, caught.__traceback__)
    record = logging.LogRecord("some.place", logging.WARNING, "file.py", 7, "the disk is %s\nfull", ("almost",), told)
    record.created = 0.5
    line = as_json(record)
    assert "\n" not in line
    said: dict[str, Any] = json.loads(line)
    return said


def test_a_line_says_when_how_grave_who_and_what() -> None:
    assert logged() == {
        "time": "1970-01-01T00:00:00.500+00:00",
        "level": "warning",
        "logger": "some.place",
        "message": "the disk is almost\nfull",
    }


def test_of_an_error_it_says_the_kind_and_the_place_and_not_its_words() -> None:
    said = logged(ValueError(TYPED))
    assert said["error"]["type"] == "ValueError"
    (place,) = said["error"]["at"]
    assert place.startswith(f"{__file__}:")
    assert place.endswith(" logged")
    assert TYPED not in str(said)


def test_what_the_system_says_is_nobodys_words() -> None:
    said = logged(OSError(24, "Too many open files", TYPED))
    assert said["error"]["says"] == os.strerror(24)
    assert TYPED not in str(said)


def told(program: str, log: str) -> list[str]:
    """The lines of a process of the app."""
    environment = os.environ | {"GLASSFORMER_LOG": log}
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    return done.stderr.splitlines()


SOME = (
    "import logging, threading, warnings, ui\n"
    "from streamlit.logger import get_logger\n"  # each with a handler of its own
    "get_logger('streamlit.some').warning('one')\n"
    "logging.getLogger('ui.some').error('two')\n"
    "warnings.warn('three')\n"
    "for _ in range(10):\n"
    "    thread = threading.Thread(target=lambda: 1 / 0); thread.start(); thread.join()\n"
)


def test_whoever_logs_writes_json_and_a_trouble_stands_once_in_full() -> None:
    one, two, three, first, tenth = map(json.loads, told(SOME, "json"))
    assert (one["logger"], one["message"]) == ("streamlit.some", "one")
    assert (two["logger"], two["level"]) == ("ui.some", "error")
    assert "three" in three["message"]
    assert first["error"]["type"] == tenth["error"]["type"] == "ZeroDivisionError"
    assert "times" not in first
    assert tenth["times"] == 10


def test_without_a_request_the_log_is_as_python_writes_it() -> None:
    assert any(line.startswith("Traceback") for line in told(SOME, ""))
    assert any(line.startswith("Traceback") for line in told(SOME, "yes"))


OWN = (
    "import io, logging\n"
    "from streamlit import logger\n"
    "logger.get_logger('streamlit.before').warning('before')\n"
    "import ui\n"
    "logger.update_formatter()\n"  # as where its settings change: each has another handler
    "logger.get_logger('streamlit.before').warning('one')\n"
    "kept = io.StringIO()\n"
    "own = logging.StreamHandler(kept)\n"
    "own.setFormatter(logging.Formatter('%(name)s says %(message)s'))\n"
    "logging.getLogger().addHandler(own)\n"
    "logging.getLogger().addHandler(logging.StreamHandler())\n"
    "logging.getLogger('ui.some').error('two')\n"
    "print(kept.getvalue(), end='', file=__import__('sys').stderr)\n"
)


def test_a_handler_that_does_not_write_to_the_console_keeps_its_format() -> None:
    """An operator's own; and one that Streamlit makes later writes JSON."""
    before, one, two, own = told(OWN, "json")
    assert before.endswith("streamlit.before: before")
    assert [json.loads(line)["message"] for line in (one, two)] == ["one", "two"]
    assert own == "ui.some says two"
