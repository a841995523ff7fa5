"""A layer of `torch.nn` under the names of ours, and how far it is from doing what these names say."""

import math
from typing import Any

import torch
from torch import Tensor, nn

from transformer_core.foreign.attend import attention_trace, batch_first
from transformer_core.foreign.watch import Call, Calls
from transformer_core.trace import Trace

FEED_FORWARD = "feed_forward"


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
    return float((actual - expected).abs().max() / expected.abs().max().clamp(min=1.0))


def see_stack(stack: nn.Module, name: str, calls: Calls, path: str, seen: Seen) -> None:
    """Every layer of the "encoder" or "decoder", and its output: all vectors (batch, length, d_model)."""
    layers: Any = stack.layers
    for at, layer in enumerate(layers):
        _LayerRun(layer, calls, f"{path}.layers.{at}").see(f"{name}.layers.{at}", seen)
    seen.trace[f"{name}.output"] = batch_first(calls.last(stack, path).output, layers[0].self_attn)


class _LayerRun:
    """One run of an nn.TransformerEncoderLayer or nn.TransformerDecoderLayer."""

    def __init__(self, layer: Any, calls: Calls, path: str) -> None:
        self.layer, self.calls, self.path = layer, calls, path
        across = {"src_attn": "multihead_attn"} if hasattr(layer, "multihead_attn") else {}
        self.attentions = {"self_attn": "self_attn"} | across  # our names and theirs
        self.sublayers = [*self.attentions, FEED_FORWARD]  # in the order in which they run

    def see(self, name: str, seen: Seen) -> None:
        """Put this layer among what was seen, under our name for it."""
        stream = self._given()
        for at, ours in enumerate(self.sublayers):
            steps = self._feed_forward() if ours == FEED_FORWARD else self._attention(ours, f"{name}.{ours}", seen)
            around = self._connection(at, "linear1" if ours == FEED_FORWARD else self.attentions[ours])
            seen.put(f"{name}.{ours}", steps)
            seen.put(f"{name}.sublayer.{at}", around)
            entered = around["norm.output"] if self.layer.norm_first else around["input"]
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

    def _attention(self, ours: str, name: str, seen: Seen) -> Trace:
        theirs = self.attentions[ours]
        path = f"{self.path}.{theirs}"
        steps = attention_trace(self.calls.last(getattr(self.layer, theirs), path), path)
        own = self._output(theirs)
        seen.hold(name, path, (steps["output"], own))
        return steps | {"output": own}

    def _feed_forward(self) -> Trace:
        hidden = self._given("linear2")
        return {"pre_activation": self._output("linear1"), "hidden": hidden, "output": self._output("linear2")}

    def _connection(self, at: int, sublayer: str) -> Trace:
        """The names of `SublayerConnection`, around the sub-layer that the module of that name begins."""
        norm, given = f"norm{at + 1}", self._given(sublayer)
        normed, result = self._given(norm), self._output(norm)
        if self.layer.norm_first:
            last = at + 1 == len(self.sublayers)
            x, total = normed, self._output() if last else self._given(f"norm{at + 2}")
        else:
            x, total = given, normed
        around = {"input": x, "given": given, "norm.input": normed, "norm.output": result}
        branch = self._output(f"dropout{at + 1}")
        return around | {
            "branch": branch,
            "skip": x,
            "sum": total,
            "output": total if self.layer.norm_first else result,
        }

    def _given(self, part: str = "") -> Tensor:
        """To a part, or to the layer itself."""
        return batch_first(self._call(part).first, self.layer.self_attn)

    def _output(self, part: str = "") -> Tensor:
        return batch_first(self._call(part).output, self.layer.self_attn)

    def _call(self, part: str) -> Call:
        module, path = (getattr(self.layer, part), f"{self.path}.{part}") if part else (self.layer, self.path)
        return self.calls.last(module, path)
