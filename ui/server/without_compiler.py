"""Optimisers without PyTorch's compiler, which they import only to ask it to keep away."""

import sys
from collections.abc import Callable
from types import ModuleType


class _StandIn(ModuleType):
    """All that `torch.optim` asks of the compiler."""

    @staticmethod
    def disable(function: Callable[..., object], *_: object, **__: object) -> Callable[..., object]:
        return function

    @staticmethod
    def graph_break() -> None: ...


def without_compiler() -> None:
    """For a process that never calls `torch.compile`; to be called before its first optimiser.

    The first one imports `torch._dynamo` and with it symbolic algebra: with PyTorch 2.13 that is 75 MB, and 1.7 seconds
    that a reader's first run would wait for. The numbers are the same without. A compiler that is there already stays.
    """
    sys.modules.setdefault("torch._dynamo", _StandIn("torch._dynamo"))
