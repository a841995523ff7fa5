"""The forward pass as a list of stops, made from the model: which tensor, from what, by which line of our source."""

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from transformer_core import (
    Embeddings,
    EncoderDecoder,
    LayerNorm,
    MultiHeadedAttention,
    PositionalEncoding,
    PositionwiseFeedForward,
    SublayerConnection,
    attention_steps,
    greedy_steps,
    layer_norm_steps,
    padding_mask,
)
from transformer_core.decoder import Decoder
from transformer_core.encoder import Encoder
from transformer_core.model import Generator
from transformer_core.softmax import masked_softmax

SUBLAYERS = {"encoder": ("self_attn", "feed_forward"), "decoder": ("self_attn", "src_attn", "feed_forward")}


PROJECTIONS = ("query", "key", "value", "output")  # of the linear layers of an attention
# Parameters that were no stops at first: links of that time do not count them.
ADDED = {"w_2", "b_2", "b_logits", *(f"b_{name}" for name in PROJECTIONS)}


@dataclass(frozen=True)
class Stop:
    """One tensor of the forward pass. A path names a value of `Turn`; `block` is where in the model we are."""

    what: str  # key of title, explanation and formula
    block: str  # "source", "encoder.layers.0", "target", "decoder.layers.1", "prediction"
    path: str
    inputs: tuple[str, ...]  # what it is computed from
    code: Callable[..., Any]
    line: str  # how the line that computes it begins

    @property
    def per_turn(self) -> bool:
        """Whether this is computed anew in every turn of the decoding loop."""
        return not self.block.startswith(("source", "encoder"))

    @property
    def sublayer(self) -> str:
        """self_attn, src_attn or feed_forward; empty outside of the sub-layers."""
        for i, name in enumerate(SUBLAYERS["decoder" if self.per_turn else "encoder"]):
            if f".{name}." in self.path or f".sublayer.{i}." in self.path:
                return name
        return ""


def stops(model: EncoderDecoder, turn: int = 1) -> list[Stop]:
    """Every stop, from the source's ids to the next token, for as many layers as the model has."""
    written = "ys = src.new_full" if turn == 1 else "ys = torch.cat"
    return [
        Stop("src", "source", "src", (), EncoderDecoder.encode, "return"),
        Stop("src_mask", "source", "src_mask", ("src",), padding_mask, "return"),
        *_embedded("src", "source"),
        *_stack(model, "encoder", "memory", Encoder.forward),
        Stop("ys", "target", "ys", (), greedy_steps, written),
        Stop("tgt_mask", "target", "tgt_mask", ("ys",), greedy_steps, "tgt_mask ="),
        *_embedded("tgt", "target"),
        *_stack(model, "decoder", "decoded", Decoder.forward),
        Stop("last", "prediction", "last", ("decoder.output",), greedy_steps, "log_probs ="),
        Stop("b_logits", "prediction", "generator.proj.bias", (), Generator.__init__, "self.proj ="),
        Stop(
            "logits",
            "prediction",
            "generator.logits",
            ("last", "generator.proj.weight"),
            Generator.forward,
            "logits =",
        ),
        Stop("log_probs", "prediction", "generator.log_probs", ("generator.logits",), Generator.forward, "return"),
        Stop("choice", "prediction", "choice", ("generator.log_probs",), greedy_steps, "choice ="),
        Stop("next", "prediction", "next", ("ys", "choice"), greedy_steps, "ys = torch.cat"),
    ]


def place_of(number: int, route: list[Stop]) -> int:
    """Where on the route the stop stands that an early link calls `number`; the last one if there are fewer."""
    counted = [index for index, stop in enumerate(route) if stop.what not in ADDED]
    return counted[min(number, len(counted) - 1)]


def _embedded(side: str, block: str) -> Iterator[Stop]:
    table, code = f"{side}_embed.0", f"{side}_embed.1"
    ids = "src" if side == "src" else "ys"
    yield Stop("rows", block, f"{table}.rows", (ids, f"{table}.lut.weight"), Embeddings.forward, "rows =")
    yield Stop("embedded", block, f"{table}.output", (f"{table}.rows",), Embeddings.forward, "return")
    yield Stop("code", block, f"{code}.code", (f"{code}.pe",), PositionalEncoding.forward, "code =")
    yield Stop(
        "placed", block, f"{code}.output", (f"{table}.output", f"{code}.code"), PositionalEncoding.forward, "return"
    )


def _stack(model: EncoderDecoder, stack: str, memory: str, code: Callable[..., Any]) -> Iterator[Stop]:
    """All layers of the encoder or the decoder, and what comes out of the last."""
    names = SUBLAYERS[stack]
    layers = len(list(model.get_submodule(f"{stack}.layers").children()))
    for n in range(layers):
        for i, name in enumerate(names):
            block = f"{stack}.layers.{n}"
            wrapper = model.get_submodule(f"{block}.sublayer.{i}")
            assert isinstance(wrapper, SublayerConnection)
            x = f"{block}.sublayer.{i}.given"
            inner = _feed_forward(block, x) if name == "feed_forward" else _attention(block, name, x)
            yield from _around(block, i, wrapper, list(inner))
    last = f"{stack}.layers.{layers - 1}"
    yield Stop(memory, last, f"{stack}.output", (f"{last}.sublayer.{len(names) - 1}.output",), code, "return")


def _around(block: str, i: int, wrapper: SublayerConnection, inner: list[Stop]) -> Iterator[Stop]:
    """A sub-layer with its normalisation before it (pre-norm) or after the sum (post-norm, the paper's)."""
    path = f"{block}.sublayer.{i}"
    code = layer_norm_steps if isinstance(wrapper.norm, LayerNorm) else SublayerConnection.normalised
    norm = Stop("norm", block, f"{path}.norm.output", (f"{path}.norm.input",), code, "return")
    summed = (f"{path}.input", f"{path}.branch")
    added = Stop("residual", block, f"{path}.sum", summed, SublayerConnection.forward, "total =")
    yield from [norm, *inner, added] if wrapper.norm_first else [*inner, added, norm]


def _attention(block: str, name: str, x: str) -> Iterator[Stop]:
    path = f"{block}.{name}"
    memory = "encoder.output" if name == "src_attn" else x
    mask = "tgt_mask" if name == "self_attn" and block.startswith("decoder") else "src_mask"
    cross = "cross_" if name == "src_attn" else ""
    project = MultiHeadedAttention.forward
    for j, (role, given) in enumerate(zip(PROJECTIONS[:3], (x, memory, memory))):
        yield _bias(block, path, j)
        yield Stop(
            f"{cross}{role}",
            block,
            f"{path}.{role}",
            (given, f"{path}.linears.{j}.weight"),
            project,
            f"{role[0]} = tap",
        )
    yield Stop("scores", block, f"{path}.scores", (f"{path}.query", f"{path}.key"), attention_steps, "scores =")
    yield Stop("masked", block, f"{path}.masked", (f"{path}.scores", mask), masked_softmax, "masked =")
    yield Stop(f"{cross}weights", block, f"{path}.weights", (f"{path}.masked",), masked_softmax, "return")
    yield Stop("heads", block, f"{path}.heads", (f"{path}.weights", f"{path}.value"), attention_steps, "return")
    yield Stop("merged", block, f"{path}.merged", (f"{path}.heads",), project, "merged =")
    yield _bias(block, path, 3)
    yield Stop("attended", block, f"{path}.output", (f"{path}.merged", f"{path}.linears.3.weight"), project, "return")


def _bias(block: str, attention: str, j: int) -> Stop:
    path = f"{attention}.linears.{j}.bias"
    return Stop(f"b_{PROJECTIONS[j]}", block, path, (), MultiHeadedAttention.__init__, "self.linears =")


def _feed_forward(block: str, x: str) -> Iterator[Stop]:
    path = f"{block}.feed_forward"
    init, steps = PositionwiseFeedForward.__init__, PositionwiseFeedForward.steps
    yield Stop("w_1", block, f"{path}.w_1.weight", (), init, "self.w_1 =")
    yield Stop("b_1", block, f"{path}.w_1.bias", (), init, "self.w_1 =")
    yield Stop("pre_activation", block, f"{path}.pre_activation", (x, f"{path}.w_1.weight"), steps, "pre_activation =")
    yield Stop("hidden", block, f"{path}.hidden", (f"{path}.pre_activation",), steps, "hidden =")
    yield Stop("w_2", block, f"{path}.w_2.weight", (), init, "self.w_2 =")
    yield Stop("b_2", block, f"{path}.w_2.bias", (), init, "self.w_2 =")
    yield Stop("output", block, f"{path}.output", (f"{path}.hidden", f"{path}.w_2.weight"), steps, "return")


class Source(NamedTuple):
    """The line that computes a stop's tensor, among its neighbours."""

    file: str
    first: int  # line number of lines[0]
    lines: list[str]
    at: int  # index of the line in question


def source_of(stop: Stop, around: int = 2) -> Source:
    """The actual line from the file on disk. LookupError if the function has no such line."""
    lines, start = inspect.getsourcelines(stop.code)
    found = [index for index, line in enumerate(lines) if line.strip().startswith(stop.line)]
    if len(found) != 1:
        raise LookupError(f"{stop.code.__qualname__}: {len(found)} lines begin with {stop.line!r}")
    low, high = max(0, found[0] - around), min(len(lines), found[0] + around + 1)
    file = Path(inspect.getfile(stop.code))
    shown = [line.rstrip() for line in lines[low:high]]
    return Source(f"{file.parent.name}/{file.name}", start + low, shown, found[0] - low)
