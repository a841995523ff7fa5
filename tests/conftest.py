"""Every test starts from the same torch, one thread and one seed, and sees a page's error in full."""

import os
from pathlib import Path

import pytest
import torch

os.environ["STREAMLIT_CLIENT_SHOW_ERROR_DETAILS"] = "full"
torch.set_num_threads(1)

BROWSER = Path(__file__).parent / "browser"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark the browser's tests, and let them run after the quick ones.

    Where processes share the files they run first: whoever began a long file last would work on it alone.
    """
    for item in items:
        if BROWSER in item.path.parents:
            item.add_marker("browser")
    shared = hasattr(config, "workerinput")
    items.sort(key=lambda item: item.get_closest_marker("browser") is not None, reverse=shared)


@pytest.fixture(autouse=True)
def seed() -> None:
    torch.manual_seed(0)
