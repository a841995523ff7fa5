"""Recording: a module marks a value with `tap`, and `record` collects what was marked, in this thread only.

Nothing is parked on the modules, so a model shared by many readers never shows one reader's numbers to another.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from torch import Tensor, nn

Trace = dict[str, Tensor]


class _Recording:
    def __init__(self, model: nn.Module) -> None:
        self.paths = {id(module): path for path, module in model.named_modules()}
        self.trace: Trace = {}


_recording: ContextVar[_Recording | None] = ContextVar("recording", default=None)


def tap(module: nn.Module, name: str, value: Tensor) -> Tensor:
    """Mark `value` as worth seeing under `<path of module>.<name>`, and return it unchanged."""
    recording = _recording.get()
    if recording is not None and id(module) in recording.paths:
        path = recording.paths[id(module)]
        recording.trace[f"{path}.{name}" if path else name] = value.detach()
    return value


@contextmanager
def record(model: nn.Module) -> Iterator[Trace]:
    """Collect every tapped value of `model` while the block runs.

    >>> with record(model) as trace:
    ...     model(src, tgt, src_mask, tgt_mask)
    >>> trace["decoder.layers.1.src_attn.weights"]  # (batch, heads, target length, source length)

    A module that runs twice within the block keeps its last values. Recordings may be nested; the inner one records.
    """
    recording = _Recording(model)
    token = _recording.set(recording)
    try:
        yield recording.trace
    finally:
        _recording.reset(token)
