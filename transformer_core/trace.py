"""Recording and intervening: a module marks a value with `tap`; `record` collects the marked, `intervene` changes them.

Both act in this thread only. Nothing is parked on the modules, so a model shared by many readers never shows one
reader's numbers to another, nor what another has changed.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from difflib import get_close_matches
from functools import partial
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn
from torch.compiler import is_compiling

from transformer_core.picture import heatmap
from transformer_core.uncompiled import uncompiled

if TYPE_CHECKING:
    from transformer_core.picture import Figure

Trace = dict[str, Tensor]  # values by their paths in the model
Change = Callable[[Tensor], Tensor]  # a tapped value -> what the model goes on with, of the same shape
Keep = Callable[[str, Tensor], Tensor]  # name and value of a step -> what the next step uses
Wanted = Callable[[str], bool]  # of a path, whether its value is to be kept
Paths = dict[int, str]  # of every module, by its id: where it stands in the model, ending in a point

ORIGINAL = "original"  # the attribute of a copied module that names the one as which it is recorded and changed
WRAPPERS = {  # modules that hold a model and call it, and under which name: paths are those of the model
    "OptimizedModule": "_orig_mod",  # of torch.compile
    "DataParallel": "module",
    "DistributedDataParallel": "module",
    "AveragedModel": "module",
    "FullyShardedDataParallel": "_fsdp_wrapped_module",
    "CheckpointWrapper": "_checkpoint_wrapped_module",
}
COSTLY = ("cuda",)  # devices on which a step takes as long as its passes are many
OURS, THEIRS = "transformer_core", ("torch", "transformers")  # the packages of modules that tap, and of such as do not


class Recorded(dict[str, Tensor]):
    """What was recorded, by its paths: a dict that says why it has no value under a path, and draws those it has."""

    def __missing__(self, path: str) -> Tensor:
        if not self:
            raise KeyError(
                f"nothing was recorded, so there is no {path}: in the block the model did not run, or only within "
                "another recording"
            )
        raise KeyError(f"no value was recorded as {path}{nearest(path, self)}")

    def heatmap(self, path: str, *, sequence: int = 0, head: int | None = None) -> "Figure":
        """A value of one sequence as a figure of Plotly: a matrix for each head, or for one. See `picture.heatmap`."""
        return heatmap(path, self[path], sequence=sequence, head=head)


def nearest(path: str, names: Iterable[str]) -> str:
    """What a message about a path that is not there ends with."""
    return "".join(f"; the nearest is {name}" for name in get_close_matches(path, names, 1))


class _Intervention:
    def __init__(self, model: nn.Module, changes: Mapping[str, Change]) -> None:
        self.paths = module_paths(model)
        self.changes = changes
        self.met: set[str] = set()
        self.others: set[str] = set()

    def changed(self, module: nn.Module, name: str, value: Tensor) -> Tensor:
        path = self.paths.get(id(module), self.paths.get(id(vars(module).get(ORIGINAL))))
        if path is None:
            return value
        if (path := path + name) not in self.changes:
            self.others.add(path)
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
        self._paths = module_paths(model)
        self._kept: dict[int, dict[str, str | None]] = {module: {} for module in self._paths}

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled, its modules have other ids."""
        return Recorder, (self.model, self.wanted)

    @contextmanager
    def recording(self) -> Iterator[Recorded]:
        """As `record`."""
        trace = Recorded()
        token = _recording.set((self, trace))
        try:
            with uncompiled():
                yield trace
        finally:
            _recording.reset(token)
        if not any(self._kept.values()) and not any(_package(part) == OURS for part in self.model.modules()):
            raise ValueError(
                f"nothing was recorded: no module of {_kind(self.model)} has tapped a value in the block; {_INSTEAD}"
            )

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
    changes it. What follows uses what is returned. A program of `torch.compile` marks nothing."""
    if is_compiling():
        return value
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


def only_learns(value: Tensor) -> bool:
    """Whether a module may take a way of fewer passes, which keeps less for the backward pass, than the steps as they
    are written: on a GPU, where each pass costs, while a gradient is wanted, this thread neither records nor changes
    values, and `torch.func` transforms nothing."""
    if value.device.type not in COSTLY or not value.requires_grad or not torch.is_grad_enabled():
        return False
    if is_compiling():
        return True
    return _recording.get() is None and _intervention.get() is None and not torch._C._are_functorch_transforms_active()


def tap_of(module: nn.Module) -> Keep:
    """`tap` for a function that returns its steps: it marks them as this module's."""
    return partial(tap, module)


def as_computed(name: str, value: Tensor) -> Tensor:
    """The `Keep` that keeps nothing and changes nothing."""
    return value


def record(model: nn.Module, wanted: Wanted | None = None) -> AbstractContextManager[Recorded]:
    """Collect every tapped value of `model` while the block runs, or those whose paths are `wanted`.

    Of a model in a wrapper, as `torch.compile` returns one, the paths are the model's own. A compiled model runs in the
    block module by module, as it was written.

    >>> with record(model) as trace:
    ...     model(src, tgt, src_mask, tgt_mask)
    >>> trace["decoder.layers.1.src_attn.weights"]  # (batch, heads, target length, source length)

    A module that runs twice within the block keeps its last values. Recordings may be nested; the inner one records.
    ValueError, which names `explain`, for a Transformer of `torch.nn` or of Hugging Face's, whose modules tap nothing,
    and at the end of the block for any other model without modules of ours that has tapped nothing in it.
    """
    if _taps_nothing(model):
        raise ValueError(f"the modules of {_kind(model)} tap nothing that could be recorded; {_INSTEAD}")
    return Recorder(model, wanted).recording()


@contextmanager
def intervene(model: nn.Module, changes: Mapping[str, Change]) -> Iterator[None]:
    """Let `model` go on with other values than it has computed while the block runs, by their paths in a recording.

    >>> with intervene(model, {"decoder.layers.1.src_attn.heads": torch.zeros_like}):
    ...     model(src, tgt, src_mask, tgt_mask)

    The model itself stays as it is. A recording holds what the model goes on with. Blocks may be nested; the inner one
    changes. ValueError if a change alters a shape, for a model whose modules tap nothing, as for `record`, and at the
    end of the block if a path has not been tapped in it.
    """
    if _taps_nothing(model):
        raise ValueError(
            f"the modules of {_kind(model)} tap nothing that could be changed here: an encoder-decoder is changed by "
            "`explain(model, source, target, intervene={path: change})`"
        )
    intervention = _Intervention(model, changes)
    token = _intervention.set(intervention)
    try:
        with uncompiled():
            yield
    finally:
        _intervention.reset(token)
    if missed := changes.keys() - intervention.met:
        listed = ", ".join(path + nearest(path, intervention.others) for path in sorted(missed))
        raise ValueError(f"no module has tapped {listed}")


_INSTEAD = (
    "`explain(model, source, target)` records an encoder-decoder of torch.nn's layers, or a Marian, BART or T5 of "
    "Hugging Face's"
)


def unwrapped(model: nn.Module) -> nn.Module:
    """The model that wrappers hold: `torch.compile`'s, for several devices, or of averaged weights."""
    while name := WRAPPERS.get(type(model).__name__):
        model = getattr(model, name)
    return model


def _taps_nothing(model: nn.Module) -> bool:
    """Whether it is known to: where it has an attention of PyTorch's, and nothing but PyTorch's modules, or Hugging
    Face's."""
    if _package(unwrapped(model)) not in THEIRS:
        return False
    parts = list(unwrapped(model).modules())
    attends = any(isinstance(part, nn.MultiheadAttention) or _package(part) == "transformers" for part in parts)
    return attends and all(_package(part) in THEIRS for part in parts)


def _package(module: nn.Module) -> str:
    return type(module).__module__.partition(".")[0]


def _kind(model: nn.Module) -> str:
    return type(unwrapped(model)).__name__


def module_paths(model: nn.Module) -> Paths:
    """As `named_modules` names them, but for wrappers, and in half the time: a recording begins with it."""
    paths = {id(model): ""}
    modules = [(model, "")]
    for module, path in modules:
        held = WRAPPERS.get(type(module).__name__)
        for name, part in module._modules.items():
            if part is not None and id(part) not in paths:
                paths[id(part)] = own = path if name == held else f"{path}{name}."
                if part._modules:
                    modules.append((part, own))
    return paths
