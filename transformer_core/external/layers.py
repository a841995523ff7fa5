"""Layers of theirs under the names of ours, and how far they are from doing what these names say."""

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import torch
from torch import Tensor, nn

from transformer_core.devices import in_float64
from transformer_core.external.watch import Calls, ModuleCall
from transformer_core.trace import Trace

FEED_FORWARD = "feed_forward"


class Sublayer(NamedTuple):
    """One sub-layer of a layer of theirs: our name for it, and where in the layer its modules are."""

    ours: str  # "self_attn", "src_attn" or "feed_forward"
    given: str  # the module that is given its vectors: the attention, or W_1
    branch: str  # that puts out what is added to the residual stream
    norm: str
    second: str = ""  # W_2, of a feed-forward network
    gate: str = ""  # what its hidden vectors are multiplied by, if by anything


class Attended(NamedTuple):
    """An attention taken apart, and pairs of what that leads to and the module's own."""

    steps: Trace
    pairs: list[tuple[Tensor, Tensor]]


class Built(NamedTuple):
    """How a layer of theirs is built."""

    sublayers: list[Sublayer]  # in the order in which they run
    norm_first: bool
    attention: Callable[[nn.Module, Calls, str], Attended]  # from a module, the runs and its path
    laid: Callable[[Tensor], Tensor]  # its vectors as (batch, length, d_model)


class Stack(NamedTuple):
    """An encoder or decoder of theirs."""

    module: nn.Module
    path: str  # what the model calls it
    layers: Sequence[nn.Module]  # one at least
    within: str  # what it calls them
    build: Callable[[nn.Module, Calls, str], Built]  # how a layer is built, from its runs and its path


class Seen:
    """What was recorded under our names, and by how much the model misses what these names say, by our path."""

    def __init__(self, tolerance: float) -> None:
        self.tolerance = tolerance
        self.trace: Trace = {}
        self.differences: dict[str, float] = {}

    def put(self, path: str, steps: Trace) -> None:
        self.trace.update({f"{path}.{step}": value for step, value in steps.items()})

    def hold(self, path: str, theirs: str, *pairs: tuple[Tensor, Tensor]) -> None:
        """ValueError, with their path, if two tensors that should be the same are not."""
        found = float(torch.tensor([difference(*pair) for pair in pairs]).max())  # NaN if one is
        self.differences[path] = found
        if not found <= self.tolerance:
            off = f"by {found:.1e}, more than {self.tolerance:g}"
            raise ValueError(f"{theirs} computes something else as well: {path} misses its numbers {off}")


def difference(actual: Tensor, expected: Tensor) -> float:
    """The largest |actual - expected|, in units of the largest |expected| where that is above 1; inf if the shapes are
    not the same."""
    if actual.shape != expected.shape:
        return math.inf
    actual, expected = in_float64(actual), in_float64(expected)
    return float((actual - expected).abs().max() / expected.abs().max().clamp(min=1.0))


def see_stack(stack: Stack, name: str, calls: Calls, seen: Seen) -> None:
    """Every layer of the "encoder" or "decoder", and its output: all vectors (batch, length, d_model)."""
    for at, layer in enumerate(stack.layers):
        path = f"{stack.path}.{stack.within}.{at}"
        built = stack.build(layer, calls, path)
        _LayerRun(layer, built, calls, path).see(f"{name}.layers.{at}", seen)
    seen.trace[f"{name}.output"] = built.laid(calls.last(stack.module, stack.path).output)


class _LayerRun:
    """One run of a layer of theirs."""

    def __init__(self, layer: nn.Module, built: Built, calls: Calls, path: str) -> None:
        self.layer, self.built, self.calls, self.path = layer, built, calls, path

    def see(self, name: str, seen: Seen) -> None:
        """Put this layer among what was seen, under our name for it."""
        stream = self._given()
        for at, sublayer in enumerate(self.built.sublayers):
            path = f"{name}.{sublayer.ours}"
            steps = self._feed_forward(sublayer) if sublayer.second else self._attention(sublayer, path, seen)
            around = self._connection(at)
            seen.put(path, steps)
            seen.put(f"{name}.sublayer.{at}", around)
            entered = around["norm.output"] if self.built.norm_first else around["input"]
            seen.hold(
                f"{name}.sublayer.{at}",
                self.path,
                (stream, around["input"]),
                (entered, around["given"]),
                (steps["output"], around["branch"]),
                (around["input"] + around["branch"], around["sum"]),
            )
            stream = around["output"]
        seen.trace[f"{name}.output"] = self._output()
        seen.hold(name, self.path, (stream, self._output()))

    def _attention(self, sublayer: Sublayer, name: str, seen: Seen) -> Trace:
        path = f"{self.path}.{sublayer.given}"
        steps, pairs = self.built.attention(self.layer.get_submodule(sublayer.given), self.calls, path)
        seen.hold(name, path, *pairs)
        return steps | {"output": self._output(sublayer.given)}

    def _feed_forward(self, sublayer: Sublayer) -> Trace:
        gate = {"gate": self._output(sublayer.gate)} if sublayer.gate else {}
        before, hidden = self._output(sublayer.given), self._given(sublayer.second)
        return {"pre_activation": before, **gate, "hidden": hidden, "output": self._output(sublayer.second)}

    def _connection(self, at: int) -> Trace:
        """The names of `SublayerConnection`, around a sub-layer."""
        sublayer, norm_first = self.built.sublayers[at], self.built.norm_first
        given, branch = self._given(sublayer.given), self._output(sublayer.branch)
        normed, result = self._given(sublayer.norm), self._output(sublayer.norm)
        if norm_first:
            last = at + 1 == len(self.built.sublayers)
            x, total = normed, self._output() if last else self._given(self.built.sublayers[at + 1].norm)
        else:
            x, total = given, normed
        around = {"input": x, "given": given, "norm.input": normed, "norm.output": result}
        return around | {"branch": branch, "skip": x, "sum": total, "output": total if norm_first else result}

    def _given(self, part: str = "") -> Tensor:
        """To a part, or to the layer itself."""
        return self.built.laid(self._call(part).first)

    def _output(self, part: str = "") -> Tensor:
        return self.built.laid(self._call(part).output)

    def _call(self, part: str) -> ModuleCall:
        return self.calls.last(self.layer.get_submodule(part), f"{self.path}.{part}" if part else self.path)
