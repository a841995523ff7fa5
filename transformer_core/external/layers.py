"""Layers of theirs under the names of ours, and how far they are from doing what these names say."""

import math
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import torch
from torch import Tensor, nn

from transformer_core.devices import in_float64
from transformer_core.external.changes import GIVEN, Border, Changes, Lay, Steps
from transformer_core.external.watch import Calls, ModuleCall
from transformer_core.trace import Keep, Recorded, Trace, Wanted

FEED_FORWARD = "feed_forward"


class Sublayer(NamedTuple):
    """One sub-layer of a layer of theirs: our name for it, and where in the layer its modules are."""

    ours: str  # "self_attn", "src_attn" or "feed_forward"
    given: str  # the module that is given its vectors: the attention, or W_1
    branch: str  # that puts out what is added to the residual stream
    norm: str
    second: str = ""  # W_2, of a feed-forward network
    gate: str = ""  # what its hidden vectors are multiplied by, if by anything
    normed: bool = False  # whether `branch` is a norm, of what the sub-layer puts out


class Attended(NamedTuple):
    """An attention taken apart, and what holds it to the module: that a step of the module's own is `computed` so."""

    steps: Trace
    step: str
    computed: Tensor


class AttentionKind(NamedTuple):
    """How an attention of theirs is taken apart, and put together again where its steps are changed."""

    attended: Callable[[ModuleCall, Calls, str, Keep], Attended]  # from its run, the runs of its parts and its path
    output: Steps
    steps: Sequence[str]  # which stand within it
    borders: Callable[[nn.Module], Iterable[tuple[Border, str, Lay]]]  # of those that pass a module of its own


class Built(NamedTuple):
    """How a layer of theirs is built."""

    sublayers: list[Sublayer]  # in the order in which they run
    norm_first: bool
    attention: AttentionKind
    laid: Lay  # a view of its vectors as (batch, length, d_model)


class Stack(NamedTuple):
    """An encoder or decoder of theirs."""

    module: nn.Module
    path: str  # what the model calls it
    layers: Sequence[nn.Module]  # one at least
    within: str  # what it calls them
    build: Callable[[nn.Module, Calls, str], Built]  # how a layer is built, from its runs and its path
    end: Border | None = None  # where its output passes, the batch first; None: as the module's, laid as in the layers

    def output(self, calls: Calls, laid: Lay) -> Tensor:
        """What it puts out, the batch first."""
        if self.end is None:
            return laid(calls.last(self.module, self.path).output)
        call = calls.last(self.end.module, self.path)
        passed: Tensor = call.first if self.end.side == GIVEN else call.output
        return passed


class ComputesNaN(ValueError):
    """A model computes NaN."""


class Seen:
    """What was recorded under our names, and by how much the model misses what these names say, by our path."""

    def __init__(self, tolerance: float, wanted: Wanted, changes: Changes) -> None:
        self.tolerance = tolerance
        self.wanted = wanted
        self.changes = changes
        self.trace = Recorded()
        self.names: set[str] = set()  # of all values, wanted or not
        self.differences: dict[str, float] = {}
        self.scaled = True  # whether the rows of the embeddings are multiplied by something

    def put(self, path: str, steps: Trace) -> None:
        self.put_all({f"{path}.{step}": value for step, value in steps.items()})

    def put_all(self, named: Trace) -> None:
        """What is wanted of these is kept, by our paths."""
        self.names |= named.keys()
        self.trace.update({name: value for name, value in named.items() if self.wanted(name)})

    def hold(self, path: str, theirs: str, *pairs: tuple[Tensor, Tensor]) -> None:
        """ValueError, with their path, if two tensors that should be the same are not; ComputesNaN for NaN."""
        found = float(torch.tensor([difference(*pair) for pair in pairs]).max())  # NaN if one is
        self.differences[path] = found
        if math.isnan(found):
            raise ComputesNaN(f"{theirs} has computed numbers that are none, NaN: they enter at {path}")
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


def see_layer(stack: Stack, name: str, at: int, calls: Calls, seen: Seen) -> Built:
    """A layer of the "encoder" or "decoder", from its runs: all vectors (batch, length, d_model)."""
    path = f"{stack.path}.{stack.within}.{at}"
    built = stack.build(stack.layers[at], calls, path)
    _LayerRun(stack.layers[at], built, calls, path).see(f"{name}.layers.{at}", seen)
    return built


class _LayerRun:
    """One run of a layer of theirs."""

    def __init__(self, layer: nn.Module, built: Built, calls: Calls, path: str) -> None:
        self.layer, self.built, self.calls, self.path = layer, built, calls, path

    def see(self, name: str, seen: Seen) -> None:
        """Put this layer among what was seen, under our name for it."""
        stream = seen.changes.before(f"{name}.sublayer.0.input", self._given())
        for at, sublayer in enumerate(self.built.sublayers):
            path, around = f"{name}.{sublayer.ours}", f"{name}.sublayer.{at}"
            steps = self._feed_forward(sublayer) if sublayer.second else self._attention(sublayer, path, seen)
            steps = {step: seen.changes.after(f"{path}.{step}", value) for step, value in steps.items()}
            computed = self._connection(at, around, seen.changes)
            after = {step: seen.changes.after(f"{around}.{step}", value) for step, value in computed.items()}
            before = {step: seen.changes.before(f"{around}.{step}", value) for step, value in computed.items()}
            seen.put(path, steps)
            seen.put(around, after)
            entered = after["norm.output"] if self.built.norm_first else after["input"]
            seen.hold(
                around,
                self.path,
                (stream, before["input"]),
                (entered, before["given"]),
                (steps["output"], self._given(sublayer.branch) if sublayer.normed else before["branch"]),
                (after["skip"] + after["branch"], before["sum"]),
            )
            stream = after["output"]
        output = self._output()
        seen.put(name, {"output": seen.changes.after(f"{name}.output", output)})
        seen.hold(name, self.path, (stream, seen.changes.before(f"{name}.output", output)))

    def _attention(self, sublayer: Sublayer, name: str, seen: Seen) -> Trace:
        path = f"{self.path}.{sublayer.given}"
        keep = seen.changes.kept(name)
        steps, step, computed = self.built.attention.attended(self._call(sublayer.given), self.calls, path, keep)
        steps["output"] = self._output(sublayer.given)
        seen.hold(name, path, (computed, seen.changes.before(f"{name}.{step}", steps[step])))
        return steps

    def _feed_forward(self, sublayer: Sublayer) -> Trace:
        gate = {"gate": self._output(sublayer.gate)} if sublayer.gate else {}
        before, hidden = self._output(sublayer.given), self._given(sublayer.second)
        return {"pre_activation": before, **gate, "hidden": hidden, "output": self._output(sublayer.second)}

    def _connection(self, at: int, name: str, changes: Changes) -> Trace:
        """The names of `SublayerConnection`, around a sub-layer: as they pass the last of the names that they have."""
        sublayer, norm_first = self.built.sublayers[at], self.built.norm_first
        given, branch = self._given(sublayer.given), self._output(sublayer.branch)
        normed, result = self._given(sublayer.norm), self._output(sublayer.norm)
        if norm_first:
            last = at + 1 == len(self.built.sublayers)
            x = changes.before(f"{name}.norm.input", normed)
            total = self._output() if last else self._given(self.built.sublayers[at + 1].norm)
            if not last:
                total = changes.before(f"{name.rpartition('.')[0]}.{at + 1}.norm.input", total)
        else:
            x, total = changes.before(f"{name}.given", given), changes.before(f"{name}.norm.input", normed)
        around = {"input": x, "given": given, "norm.input": normed, "norm.output": result}
        return around | {"branch": branch, "skip": x, "sum": total, "output": total if norm_first else result}

    def _given(self, part: str = "") -> Tensor:
        """To a part, or to the layer itself."""
        return self.built.laid(self._call(part).first)

    def _output(self, part: str = "") -> Tensor:
        return self.built.laid(self._call(part).output)

    def _call(self, part: str) -> ModuleCall:
        return self.calls.last(self.layer.get_submodule(part), f"{self.path}.{part}" if part else self.path)
