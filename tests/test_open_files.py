"""A server that is begun with few open files: it takes more, and where it may not have more its log stays short."""

import resource
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from urllib.parse import urlsplit

from tests.browser.driver import AGES, Server, serving
from tests.wire import Reader

FEW, MORE = 96, 1500
READERS = 40  # each holds four
AGAIN = "the same for the 10th time"
SHORT = 50_000  # bytes: some tracebacks, each once


@contextmanager
def with_files(soft: int, hard: int) -> Iterator[Server]:
    """A server that begins with these limits."""
    limited = (
        "import os, resource, sys; "
        f"resource.setrlimit(resource.RLIMIT_NOFILE, ({soft}, {hard})); "
        "os.execv(sys.executable, [sys.executable, *sys.argv[1:]])"
    )
    with serving("app.py", [sys.executable, "-c", limited]) as server:
        yield server


def test_a_server_that_begins_with_few_open_files_takes_all_it_may_have() -> None:
    with with_files(FEW, MORE) as server, ExitStack() as tabs:
        for _ in range(READERS):
            reader = tabs.enter_context(Reader(server.url, "teachers", {"lang": "en"}))
            assert reader.opened.exceptions == []
        if sys.platform == "linux":
            assert resource.prlimit(server.pid, resource.RLIMIT_NOFILE) == (MORE, MORE)
        assert "Traceback" not in server.log.read_text()


def test_where_open_files_have_run_out_the_log_says_so_and_stays_short() -> None:
    with with_files(FEW, FEW) as server, ExitStack() as held:
        held.enter_context(Reader(server.url, "teachers", {"lang": "en"}))
        address = urlsplit(server.url)
        for _ in range(FEW):  # more than are left
            held.enter_context(socket.create_connection((address.hostname, address.port)))
        log, end = "", time.monotonic() + AGES / 1000
        while AGAIN not in log and time.monotonic() < end:
            time.sleep(0.1)
            log = server.log.read_text()
    assert AGAIN in log
    assert "Too many open files" in log
    assert len(log) < SHORT
