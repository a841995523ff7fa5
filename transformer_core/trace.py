"""Recording and intervening: a module marks a value with `tap`; `record` collects the marked, `intervene` changes them.

Both act in this thread only. Nothing is parked on the modules, so a model shared by many readers never shows one
reader's numbers to another, nor what another has changed.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from functools import partial
from typing import Any

from torch import Tensor, nn

Trace = dict[str, Tensor]
Change = Callable[[Tensor], Tensor]  # a tapped value -> what the model goes on with, of the same shape
Keep = Callable[[str, Tensor], Tensor]  # name and value of a step -> what the next step uses
Wanted = Callable[[str], bool]  # of a path, whether its value is to be kept
Paths = dict[int, str]  # of every module, by its id: where it stands in the model, ending in a point

ORIGINAL = "original"  # the attribute of a copied module that names the one as which it is recorded and changed


class _Intervention:
    def __init__(self, model: nn.Module, changes: Mapping[str, Change]) -> None:
        self.paths = _paths(model)
        self.changes = changes
        self.met: set[str] = set()

    def changed(self, module: nn.Module, name: str, value: Tensor) -> Tensor:
        path = self.paths.get(id(module), self.paths.get(id(vars(module).get(ORIGINAL))))
        if path is None or (path := path + name) not in self.changes:
            return value
        self.met.add(path)
        instead = self.changes[path](value)
        if instead.shape != value.shape:
            raise ValueError(f"{path} is {tuple(value.shape)} and cannot become {tuple(instead.shape)}")
        return instead


class Recorder:
    """What is recorded of a model, all or what is `wanted`: found once, where the same is recorded again and again."""

    def __init__(self, model: nn.Module, wanted: Wanted | None = None) -> None:
        self.model = model
        self.wanted = wanted
        self._paths = _paths(model)
        self._kept: dict[int, dict[str, str | None]] = {module: {} for module in self._paths}

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled, its modules have other ids."""
        return Recorder, (self.model, self.wanted)

    @contextmanager
    def recording(self) -> Iterator[Trace]:
        """As `record`."""
        trace: Trace = {}
        token = _recording.set((self, trace))
        try:
            yield trace
        finally:
            _recording.reset(token)

    def path(self, module: nn.Module, name: str) -> str | None:
        """Under which a tapped value is kept; None where it is not."""
        kept = self._kept.get(id(module))
        if kept is None:
            original = vars(module).get(ORIGINAL)
            return None if original is None else self.path(original, name)
        if name not in kept:
            path = self._paths[id(module)] + name
            kept[name] = path if self.wanted is None or self.wanted(path) else None
        return kept[name]


_recording: ContextVar[tuple[Recorder, Trace] | None] = ContextVar("recording", default=None)
_intervention: ContextVar[_Intervention | None] = ContextVar("intervention", default=None)


def tap(module: nn.Module, name: str, value: Tensor) -> Tensor:
    """Mark `value` as worth seeing under `<path of module>.<name>`, and return it: the very value, unless `intervene`
    changes it. What follows uses what is returned."""
    intervention = _intervention.get()
    if intervention is not None:
        value = intervention.changed(module, name, value)
    recording = _recording.get()
    if recording is not None:
        recorder, trace = recording
        path = recorder.path(module, name)
        if path is not None:
            trace[path] = value.detach() if value.requires_grad else value
    return value


def tap_of(module: nn.Module) -> Keep:
    """`tap` for a function that returns its steps: it marks them as this module's."""
    return partial(tap, module)


def as_computed(name: str, value: Tensor) -> Tensor:
    """The `Keep` that keeps nothing and changes nothing."""
    return value


def record(model: nn.Module, wanted: Wanted | None = None) -> AbstractContextManager[Trace]:
    """Collect every tapped value of `model` while the block runs, or those whose paths are `wanted`.

    >>> with record(model) as trace:
    ...     model(src, tgt, src_mask, tgt_mask)
    >>> trace["decoder.layers.1.src_attn.weights"]  # (batch, heads, target length, source length)

    A module that runs twice within the block keeps its last values. Recordings may be nested; the inner one records.
    """
    return Recorder(model, wanted).recording()


@contextmanager
def intervene(model: nn.Module, changes: Mapping[str, Change]) -> Iterator[None]:
    """Let `model` go on with other values than it has computed while the block runs, by their paths in a recording.

    >>> with intervene(model, {"decoder.layers.1.src_attn.heads": torch.zeros_like}):
    ...     model(src, tgt, src_mask, tgt_mask)

    The model itself stays as it is. A recording holds what the model goes on with. Blocks may be nested; the inner one
    changes. ValueError if a change alters a shape, and at the end of the block if a path has not been tapped in it.
    """
    intervention = _Intervention(model, changes)
    token = _intervention.set(intervention)
    try:
        yield
    finally:
        _intervention.reset(token)
    if missed := changes.keys() - intervention.met:
        raise ValueError(f"no module has tapped {', '.join(sorted(missed))}")


def _paths(model: nn.Module) -> Paths:
    """As `named_modules` names them, in half the time: a recording begins with it."""
    paths = {id(model): ""}
    modules = [(model, "")]
    for module, path in modules:
        for name, part in module._modules.items():
            if part is not None and id(part) not in paths:
                paths[id(part)] = own = f"{path}{name}."
                if part._modules:
                    modules.append((part, own))
    return paths
