"""The tests' own server: where it says it is, it is, however many there are at once."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from urllib.request import urlopen

import pytest

from tests.browser.driver import serving

SCRIPT = "benchmarks/scripts/floor.py"


def test_servers_that_start_at_the_same_moment_have_ports_of_their_own() -> None:
    with ExitStack() as stack, ThreadPoolExecutor(3) as together:
        servers = list(together.map(stack.enter_context, [serving(SCRIPT) for _ in range(3)]))
        assert len({server.url for server in servers}) == len({server.pid for server in servers}) == 3
        for server in servers:
            with urlopen(f"{server.url}/_stcore/health") as answer:
                assert answer.read() == b"ok"


def test_a_server_that_does_not_start_tells_what_it_has_said(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match=r"did not start:(.|\n)*does not exist"), serving(str(tmp_path / "none.py")):
        raise AssertionError("nothing is served")
