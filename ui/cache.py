"""Large values that may be asked for again, models first of all: under one budget in bytes, the longest unused go.

One instance serves all readers of a server. It is no Streamlit cache: any visitor's browser may empty those.
"""

import sys
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import is_dataclass
from typing import Any, TypeVar

import numpy as np
from torch import Tensor, nn

from transformer_core.training.config import TrainConfig
from ui.training_service.memory_budget import KEPT

PAIR = 2  # bytes of a letter, as Python holds a text that is not English alone

T = TypeVar("T")


class ValueCache:
    """Safe to use from any thread."""

    def __init__(self, budget: int = KEPT) -> None:
        self.budget = budget
        self._values: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()
        self._lock = threading.Lock()
        self._making: dict[Hashable, tuple[threading.RLock, int]] = {}  # and how many make it, or wait for it

    @property
    def size(self) -> int:
        with self._lock:
            return sum(size for _, size in self._values.values())

    def get(self, key: Hashable) -> Any:
        with self._lock:
            if key not in self._values:
                return None
            self._values.move_to_end(key)
            return self._values[key][0]

    def put(self, key: Hashable, value: T) -> T:
        """Keep it, as long as the budget lasts; the newest value is kept whatever its size."""
        size = size_of(value) + carried(key)
        with self._lock:
            self._values.pop(key, None)
            self._values[key] = value, size
            total = sum(size for _, size in self._values.values())
            while total > self.budget and len(self._values) > 1:
                total -= self._values.popitem(last=False)[1][1]
        return value

    def drop(self, key: Hashable) -> None:
        with self._lock:
            self._values.pop(key, None)

    def get_or_make(self, key: Hashable, make: Callable[[], T]) -> T:
        """The value, made now if need be: once for all who ask at the same time. Others are made side by side.

        `make` may ask for other values, none of which may be made of this one.
        """
        value = self.get(key)
        if value is None:
            with self._alone_at(key):
                value = self.get(key)
                if value is None:
                    value = self.put(key, make())
        return value

    @contextmanager
    def _alone_at(self, key: Hashable) -> Iterator[None]:
        with self._lock:
            lock, others = self._making.get(key, (threading.RLock(), 0))
            self._making[key] = lock, others + 1
        try:
            with lock:
                yield
        finally:
            with self._lock:
                lock, these = self._making.pop(key)
                if these > 1:
                    self._making[key] = lock, these - 1

    def clear(self) -> None:
        with self._lock:
            self._values.clear()


def carried(key: Hashable) -> int:
    """Bytes of a reader's own pairs, which go along with a run wherever a key names it, or what it has come to."""
    parts = (getattr(part, "config", part) for part in (key if isinstance(key, tuple) else (key,)))
    return sum(PAIR * len(part.pairs) for part in parts if isinstance(part, TrainConfig))


def size_of(value: object) -> int:
    """Bytes of all tensors and arrays in a model, a mapping or a sequence, and of a figure with all that it consists
    of; what two of them share counts once."""
    blocks = dict[int, tuple[int, object]]()  # held while they are counted: what is freed gives its address away
    _count(value, blocks, whole=False)
    return sum(size for size, _ in blocks.values())


def _count(value: object, blocks: dict[int, tuple[int, object]], *, whole: bool) -> None:
    """Note the bytes at each address: of tensors and arrays, and in what is counted as a whole of all else."""
    whole = whole or (is_dataclass(value) and not isinstance(value, type))
    parts: Iterator[object] = iter(())
    match value:
        case Tensor():
            storage = value.untyped_storage()
            blocks[storage.data_ptr()] = storage.nbytes(), value
            return
        case np.ndarray():
            blocks[id(value)] = value.nbytes, value
            return
        case _ if id(value) in blocks:
            return
        case nn.Module():
            parts = iter(value.parameters())
        case Mapping():
            parts = iter(value.values())
        case list() | tuple():
            parts = iter(value)
        case _ if is_dataclass(value) and not isinstance(value, type):
            parts = iter(vars(value).values())
    if whole:
        blocks[id(value)] = sys.getsizeof(value) + sys.getsizeof(getattr(value, "__dict__", None)), value
    for part in parts:
        _count(part, blocks, whole=whole)


cached = ValueCache()
