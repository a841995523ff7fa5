"""A server that is begun with few open files: it takes more, and where it may not have more its log stays short."""

import resource
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from websockets import ConnectionClosed

from tests.browser.driver import Server, serving
from tests.wire import Reader

FEW, MORE = 96, 1500
READERS = 40  # each holds four
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


def opened(server: Server) -> list[Reader | ConnectionClosed | OSError]:
    """So many readers at the same time, one after the other; or what became of each who was not let in."""
    found: list[Reader | ConnectionClosed | OSError] = []
    with ExitStack() as tabs:
        for _ in range(READERS):
            try:
                found.append(tabs.enter_context(Reader(server.url, "teachers", {"lang": "en"}, patience=10)))
            except (ConnectionClosed, OSError) as problem:
                found.append(problem)
                break  # the next would only wait in vain
    return found


def test_a_server_that_begins_with_few_open_files_takes_all_it_may_have() -> None:
    with with_files(FEW, MORE) as server:
        found = opened(server)
        if sys.platform == "linux":
            assert resource.prlimit(server.pid, resource.RLIMIT_NOFILE) == (MORE, MORE)
        assert [type(reader) for reader in found] == [Reader] * READERS
        assert [each for reader in found if isinstance(reader, Reader) for each in reader.opened.exceptions] == []
        assert "Traceback" not in server.log.read_text()


def test_where_open_files_have_run_out_the_log_says_so_and_stays_short() -> None:
    with with_files(FEW, FEW) as server:
        found = opened(server)
        assert not isinstance(found[-1], Reader)
        log = server.log.read_text()
        assert "Too many open files" in log
        assert len(log) < SHORT
