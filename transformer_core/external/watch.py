"""What goes into a model's modules and comes out of them while it runs, and nothing of the model stays changed."""

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from transformer_core.uncompiled import uncompiled

_ONE_AT_A_TIME = threading.RLock()  # the switch of PyTorch's fused kernels is one for the whole process


class ModuleCall(NamedTuple):
    """One run of a module: copies of what it was given and of its output, of several outputs the first."""

    module: nn.Module
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    output: Any

    @property
    def first(self) -> Any:
        """The first argument."""
        return next(iter((*self.args, *self.kwargs.values())), None)


class Calls(list[ModuleCall]):
    """The runs of modules, in the order in which they ended."""

    def last(self, module: nn.Module, path: str) -> ModuleCall:
        """Of a module that ran more than once, the last run. ValueError, with its path, if it did not run."""
        for call in reversed(self):
            if call.module is module:
                return call
        raise ValueError(f"{path} did not run, so there is nothing of it to show")

    def forget(self, modules: Iterable[nn.Module]) -> None:
        """The runs of these modules."""
        gone = set(modules)
        self[:] = [call for call in self if call.module not in gone]


@contextmanager
def evaluating(modules: Sequence[nn.Module]) -> Iterator[None]:
    """The block runs in evaluation mode, without gradients, and module by module: PyTorch's fused encoder layer would
    not call its parts. Modes and the switch of the fused kernels are as before after it, also after an error."""
    training = [module.training for module in modules]
    with _ONE_AT_A_TIME, torch.no_grad(), uncompiled():
        fused = torch.backends.mha.get_fastpath_enabled()
        try:
            torch.backends.mha.set_fastpath_enabled(False)
            for module in modules:
                module.training = False
            yield
        finally:
            for module, mode in zip(modules, training):
                module.training = mode
            torch.backends.mha.set_fastpath_enabled(fused)


@contextmanager
def watched(
    modules: Sequence[nn.Module],
    calls: Calls | None = None,
    ended: Callable[[nn.Module, Calls], None] | None = None,
) -> Iterator[Calls]:
    """Collect the runs of the modules that this thread starts within the block; no hook stays after it.

    They are added to `calls`. `ended` is called with each module whose run has ended, and the runs so far.
    """
    calls, thread = Calls() if calls is None else calls, threading.get_ident()

    def note(module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any], output: Any) -> None:
        if threading.get_ident() == thread:
            named = {name: _copy(value) for name, value in kwargs.items()}
            calls.append(ModuleCall(module, tuple(map(_copy, args)), named, _copy(first_of(output))))
            if ended is not None:
                ended(module, calls)

    handles = [module.register_forward_hook(note, with_kwargs=True) for module in modules]
    try:
        yield calls
    finally:
        for handle in handles:
            handle.remove()


@contextmanager
def pushed(run: ModuleCall, place: tuple[int, ...]) -> Iterator[None]:
    """While this thread runs the block, another vector stands at this place of the module's output than in that run."""
    thread = threading.get_ident()

    def push(module: nn.Module, args: tuple[Any, ...], output: Any) -> Any:
        if threading.get_ident() != thread or not isinstance(output, Tensor) or output.shape != run.output.shape:
            return output
        output = output.clone()
        output[place] += torch.linspace(1, 2, output.size(-1), dtype=output.dtype, device=output.device)
        return output

    handle = run.module.register_forward_hook(push)
    try:
        yield
    finally:
        handle.remove()


def first_of(output: Any) -> Any:
    """Of outputs that have names the logits, if there are any: a loss may come before them."""
    if isinstance(output, Mapping):
        return output.get("logits", next(iter(output.values()), None))
    return output[0] if isinstance(output, tuple) and output else output


def with_first(output: Any, first: Any) -> Any:
    """The same output with another tensor in the place of `first_of` it."""
    if isinstance(output, MutableMapping):
        output["logits" if "logits" in output else next(iter(output))] = first
        return output
    return (first, *output[1:]) if isinstance(output, tuple) and output else first


def _copy(value: Any) -> Any:
    """A copy, for an activation may write into its own input."""
    return value.detach().clone() if isinstance(value, Tensor) else value
