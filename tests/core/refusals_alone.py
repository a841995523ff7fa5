"""The simulated device refuses what a real one refuses, so that a test on it can fail."""

from collections.abc import Callable, Iterator

import pytest
import torch

from tests.core.simulated_device import simulated


@pytest.fixture
def device() -> Iterator[torch.device]:
    with simulated() as device:
        yield device


def test_the_device_refuses_what_a_real_one_refuses(device: torch.device) -> None:
    there, here = torch.ones(2, device=device), torch.ones(2)
    mixed = "two devices"
    refused: list[tuple[Callable[[], object], type[Exception], str]] = [
        (lambda: there + here, RuntimeError, mixed),
        (lambda: here.add_(there), RuntimeError, mixed),
        (lambda: torch.cat([there, here]), RuntimeError, mixed),
        (lambda: torch.where(here > 0, there, there), RuntimeError, mixed),
        (lambda: there.double(), TypeError, "float64"),
        (lambda: there.to(torch.float64), TypeError, "float64"),
        (lambda: here.double().to(device), TypeError, "float64"),
        (lambda: torch.tensor([1.0], dtype=torch.float64, device=device), TypeError, "float64"),
        (lambda: there.numpy(), TypeError, "numpy"),
        (lambda: torch.rand(2, device=device, generator=torch.Generator()), RuntimeError, "generator"),
        (lambda: torch.rand(2, generator=torch.Generator(device)), RuntimeError, "generator"),
    ]
    for act, kind, said in refused:
        with pytest.raises(kind, match=said):
            act()
    allowed = there * torch.tensor(2.0) + there[torch.tensor([1, 0])] + torch.tensor([3.0, 4.0], device=device)
    assert allowed.tolist() == [6.0, 7.0]
    assert allowed.device == device
    assert there.cpu().device.type == "cpu"
