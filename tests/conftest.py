"""Every test starts from the same torch, one thread and one seed, and sees a page's error in full."""

import os
from pathlib import Path

import pytest
import torch

os.environ["STREAMLIT_CLIENT_SHOW_ERROR_DETAILS"] = "full"
torch.set_num_threads(1)

BROWSER = Path(__file__).parent / "browser"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the browser's tests and name the tests that several processes (`-n 2 --dist loadgroup`) must not part.

    The browser's share one server and one Chromium, so one process has them all, from the start, as nothing takes
    longer; a process alone has the quick ones first. A file of the core or of ui may share a model or a worker; the
    tests of a chapter share nothing.
    """
    shared = "PYTEST_XDIST_WORKER" in os.environ
    for item in items:
        if BROWSER in item.path.parents:
            item.add_marker("browser")
            item.add_marker(pytest.mark.xdist_group("browser"))
        elif item.path.parent.name != "app":
            item.add_marker(pytest.mark.xdist_group(str(item.path.relative_to(BROWSER.parent))))
    items.sort(key=lambda item: (item.get_closest_marker("browser") is None) == shared)


@pytest.fixture(autouse=True)
def seed() -> None:
    torch.manual_seed(0)
