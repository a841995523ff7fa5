"""Where numbers are: on which device tensors lie, where a generator draws, and where float64 is to be had."""

import torch
from torch import Tensor, nn


def check_devices(**tensors: Tensor | None) -> None:
    """ValueError, which says what lies where, unless all that are given lie on one device."""
    places = [tensor.device for tensor in tensors.values() if tensor is not None]
    if any(place != places[0] for place in places):
        found = {name: tensor.device for name, tensor in tensors.items() if tensor is not None}
        where = ", ".join(f"{name.replace('_', ' ')} on {device}" for name, device in found.items())
        raise ValueError(f"these have to be on one device: {where}; `.to(device)` moves a tensor, a batch or a model")


def in_float64(x: Tensor) -> Tensor:
    """The same numbers in float64: where x is, or on the CPU if the device has no float64, as Apple's MPS."""
    try:
        return x.double()
    except (TypeError, RuntimeError):  # MPS raises the first, others the second
        return x.cpu().double()


def device_of(generator: torch.Generator | None) -> torch.device | None:
    """Where a generator draws; None, PyTorch's default device, without one."""
    return None if generator is None else generator.device


def model_device(model: nn.Module) -> torch.device:
    """Where a model lies, by its first parameter."""
    return next(model.parameters()).device


def uniform(count: int, generator: torch.Generator | None) -> list[float]:
    """Random numbers 0 ≤ u < 1 with the 53 bits of a float64, or 24 where the generator's device has no float64."""
    where = device_of(generator)
    try:
        numbers = torch.rand(count, generator=generator, device=where, dtype=torch.float64)
    except (TypeError, RuntimeError):  # MPS raises the first, others the second
        numbers = torch.rand(count, generator=generator, device=where)
    listed: list[float] = numbers.tolist()
    return listed
