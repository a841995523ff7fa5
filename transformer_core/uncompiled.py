"""Modules that run as they are written although `torch.compile` has made programs of them."""

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch

WITHIN = (
    "this block stands in a function that `torch.compile` has compiled, where nothing is marked: put it around the "
    "call of that function, or compile the model alone"
)

_lock = threading.Lock()
_blocks = 0  # that run now, in any thread
_stance: Any = None


@contextmanager
def uncompiled() -> Iterator[None]:
    """While the block runs, compiled models run module by module, as does what other threads call meanwhile: PyTorch
    has one such switch for the whole process. A program neither marks values nor calls hooks. RuntimeError inside a
    function that is compiled itself."""
    if "torch._dynamo" not in sys.modules:  # nothing is compiled, and to ask would import the compiler, 75 MB
        yield
        return
    _begin()
    try:
        yield
    finally:
        _end()


def _begin() -> None:
    global _blocks, _stance
    with _lock:
        if _blocks == 0:
            try:
                _stance = torch.compiler.set_stance("force_eager")
            except RuntimeError as problem:
                raise RuntimeError(WITHIN) from problem
        _blocks += 1


def _end() -> None:
    global _blocks
    with _lock:
        _blocks -= 1
        if _blocks == 0:
            _stance.__exit__(None, None, None)
