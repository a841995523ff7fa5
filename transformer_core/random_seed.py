"""Random numbers from a seed, for one thread alone."""

from typing import Any

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

DRAWS = {
    *(torch.rand, torch.randn, torch.randint, torch.randperm, torch.normal, torch.bernoulli, torch.multinomial),
    *(Tensor.uniform_, Tensor.normal_, Tensor.bernoulli_, Tensor.random_, Tensor.exponential_),
    # What these draw within is not seen, so they are given the generator themselves.
    *(nn.init.uniform_, nn.init.normal_, nn.init.kaiming_uniform_),
}


class Seeded(TorchFunctionMode):
    """`with Seeded(0): model = make_model(11, 11)` gives the numbers that `torch.manual_seed(0)` before it would give.

    `manual_seed` sets the one stream that all threads of a process draw from: where a server computes for two readers
    at once, each takes numbers out of the other's. Here they come from a generator of this thread's own, and the
    common stream stays where it is. Dropout of `torch.nn` has no generator, and goes on drawing from that.
    """

    def __init__(self, seed: int) -> None:
        super().__init__()
        self._seed = seed
        self._generators: dict[str, torch.Generator] = {}  # of each device that numbers are drawn on

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if func in DRAWS and kwargs.get("generator") is None:
            kwargs = kwargs | {"generator": self._generator(_place(args, kwargs))}
        return func(*args, **kwargs)

    def _generator(self, device: torch.device) -> torch.Generator:
        kind = "cpu" if device.type == "meta" else str(device)  # a tensor without numbers draws none
        if kind not in self._generators:
            self._generators[kind] = torch.Generator(kind).manual_seed(self._seed)
        return self._generators[kind]


def _place(args: Any, kwargs: dict[str, Any]) -> torch.device:
    """Where a function of DRAWS draws: on the device of the tensor that it is given, or where it makes one."""
    given = next((value for value in (*args, *kwargs.values()) if isinstance(value, Tensor)), None)
    return torch.device(kwargs.get("device") or torch.get_default_device()) if given is None else given.device
