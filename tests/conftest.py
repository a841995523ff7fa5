"""Every test starts from the same torch, one thread and one seed, and sees a page's error in full.

`--order 7` takes the files in another order, `--noise 1` computes as another processor might (`tests/noise`); a test
that fails is told with the command that runs it alone.
"""

import os
import random
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import torch

if TYPE_CHECKING:  # which is not there for tests elsewhere under these hooks
    from tests.browser.driver import Server

os.environ["STREAMLIT_CLIENT_SHOW_ERROR_DETAILS"] = "full"
torch.set_num_threads(1)

BROWSER = Path(__file__).parent / "browser"
CLUSTER = Path(__file__).parent / "cluster"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--order", type=int, metavar="SEED", help="shuffle the files by this number; 0 is an order, too")
    parser.addoption(
        "--noise", type=int, metavar="SEED", help="compute as another processor might: this number says which"
    )
    parser.addoption("--device", metavar="NAME", help="of the *devices_alone.py tests: a card that is there, as cuda")


def pytest_configure(config: pytest.Config) -> None:
    """Before any module of ours takes a function of NumPy's for its own."""
    if (seed := config.getoption("noise")) is not None:
        from tests.noise import begin  # which is not there for tests elsewhere under these hooks

        begin(seed)


def pytest_report_header(config: pytest.Config) -> list[str]:
    order, seed = config.getoption("order"), config.getoption("noise")
    said = [] if order is None else [f"order of the files: {order} (make test ORDER={order}, pytest --order {order})"]
    return said if seed is None else [*said, f"noise: {seed} (make noise SEED={seed}, pytest --noise {seed})"]


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """The tests of a cluster need what not everybody has installed: they run where they are asked for."""
    asked = any("cluster" in said for said in (config.option.markexpr, *config.args))
    return True if collection_path == CLUSTER and not asked else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark the browser's tests and the cluster's, and let the browser's run after the quick ones.

    Where processes share the files they run first: whoever began a long file last would work on it alone.
    """
    for item in items:
        for folder in (BROWSER, CLUSTER):
            if folder in item.path.parents:
                item.add_marker(folder.name)
    order = config.getoption("order")
    if order is not None:
        files = sorted({item.path for item in items})
        place = dict(zip(random.Random(order).sample(files, len(files)), range(len(files))))
        items.sort(key=lambda item: place[item.path])
        return
    shared = hasattr(config, "workerinput")
    items.sort(key=lambda item: item.get_closest_marker("browser") is not None, reverse=shared)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """After the list of failures: how to look at each of them again."""
    stats = terminalreporter.stats
    alone = dict.fromkeys(report.nodeid for kind in ("failed", "error") for report in stats.get(kind, []))
    if alone:
        terminalreporter.section("to run each alone")
        seed = terminalreporter.config.getoption("noise")
        noisy = [] if seed is None else ["--noise", str(seed)]
        python = Path(sys.executable)
        here = python.relative_to(Path.cwd()) if python.is_relative_to(Path.cwd()) else python
        for name in alone:
            terminalreporter.line(shlex.join([str(here), "-m", "pytest", "-n", "0", *noisy, name]))


def begin() -> None:
    torch.manual_seed(0)
    random.seed(0)


@pytest.fixture(autouse=True)
def seed() -> None:
    begin()


@pytest.fixture(autouse=True, scope="module")
def seed_of_what_a_file_shares() -> None:
    """It is made before a test's own seed is set, and would depend on the files before."""
    begin()


@pytest.fixture(scope="session")
def server() -> Iterator["Server"]:
    """The app, for all tests of a process that leave a server as they found it and look at it without a browser."""
    from tests.browser.driver import serving

    with serving("app.py") as server:
        yield server


@pytest.fixture(scope="session")
def url(server: "Server") -> str:
    return server.url
