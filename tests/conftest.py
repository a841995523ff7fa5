"""Every test starts from the same torch, one thread and one seed, and sees a page's error in full."""

import os

import pytest
import torch

os.environ["STREAMLIT_CLIENT_SHOW_ERROR_DETAILS"] = "full"
torch.set_num_threads(1)


@pytest.fixture(autouse=True)
def seed() -> None:
    torch.manual_seed(0)
