"""The forward pass as a list of stops, made from the model: which tensor, from what, by which line of our source."""

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from transformer_core import (
    Embeddings,
    EncoderDecoder,
    LayerNorm,
    LearnedPositions,
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
from transformer_core.decoding.loop import Outputs
from transformer_core.encoder import Encoder
from transformer_core.head_merge import merge_steps
from transformer_core.model import Generator
from transformer_core.softmax import masked_softmax
from ui.chapters.shared.tensors import SUBLAYERS

# Parameters that were no stops at first: links of that time do not count them.
ADDED = {"w_2", "b_2", "b_logits", "b_query", "b_key", "b_value", "b_output"}


@dataclass(frozen=True)
class ForwardStop:
    """One tensor of the forward pass. A path names one of its `TurnTensors`; `block` is where in the model we are."""

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


def stops(model: EncoderDecoder, turn: int = 1) -> list[ForwardStop]:
    """Every stop, from the source's ids to the next token, for as many layers as the model has."""
    started, grown = (Outputs.__init__, "self.ys = src.new_full"), (Outputs.append, "self.ys = torch.cat")
    source, target, last = (_under(block) for block in ("source", "target", "prediction"))
    return [
        source("src", "src", "", EncoderDecoder.encode, "return"),
        source("src_mask", "src_mask", "src", padding_mask, "return"),
        *_embedded(model, "src", "src", "source"),
        *_stack(model, "encoder", "memory", Encoder.forward),
        target("ys", "ys", "", *(started if turn == 1 else grown)),
        target("tgt_mask", "tgt_mask", "ys", greedy_steps, "tgt_mask ="),
        *_embedded(model, "tgt", "ys", "target"),
        *_stack(model, "decoder", "decoded", Decoder.forward),
        last("last", "last", "decoder.output", greedy_steps, "log_probs ="),
        last("b_logits", "generator.proj.bias", "", Generator.__init__, "self.proj ="),
        last("logits", "generator.logits", "last generator.proj.weight", Generator.forward, "logits ="),
        last("log_probs", "generator.log_probs", "generator.logits", Generator.forward, "return"),
        last("choice", "choice", "generator.log_probs", greedy_steps, "choice ="),
        last("next", "next", "ys choice", *grown),
    ]


def _under(block: str, module: str = "") -> Callable[..., ForwardStop]:
    """Makes stops of a block; a path that begins with a dot stands under the module's."""

    def full(path: str) -> str:
        return module + path if path.startswith(".") else path

    def stop(what: str, path: str, inputs: str, code: Callable[..., Any], line: str) -> ForwardStop:
        return ForwardStop(what, block, full(path), tuple(map(full, inputs.split())), code, line)

    return stop


def place_of(number: int, route: list[ForwardStop]) -> int:
    """Where on the route the stop stands that an early link calls `number`; the last one if there are fewer."""
    counted = [index for index, stop in enumerate(route) if stop.what not in ADDED]
    return counted[min(number, len(counted) - 1)]


def _embedded(model: EncoderDecoder, side: str, ids: str, block: str) -> Iterator[ForwardStop]:
    learned = isinstance(model.get_submodule(f"{side}_embed.1"), LearnedPositions)
    stop, look_up = _under(block, f"{side}_embed"), Embeddings.forward
    add = LearnedPositions.forward if learned else PositionalEncoding.forward
    what, table = ("position_rows", ".1.lut.weight") if learned else ("code", ".1.pe")
    yield stop("rows", ".0.rows", f"{ids} .0.lut.weight", look_up, "rows =")
    yield stop("embedded", ".0.output", ".0.rows", look_up, "return")
    yield stop(what, ".1.code", table, add, "code =")
    yield stop("placed", ".1.output", ".0.output .1.code", add, "return")


def _stack(model: EncoderDecoder, stack: str, memory: str, code: Callable[..., Any]) -> Iterator[ForwardStop]:
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
    yield ForwardStop(memory, last, f"{stack}.output", (f"{last}.sublayer.{len(names) - 1}.output",), code, "return")


def _around(block: str, i: int, wrapper: SublayerConnection, inner: list[ForwardStop]) -> Iterator[ForwardStop]:
    """A sub-layer with its normalisation before it (pre-norm) or after the sum (post-norm, the paper's)."""
    stop = _under(block, f"{block}.sublayer.{i}")
    code = layer_norm_steps if isinstance(wrapper.norm, LayerNorm) else SublayerConnection.normalised
    norm = stop("norm", ".norm.output", ".norm.input", code, "return")
    added = stop("residual", ".sum", ".input .branch", SublayerConnection.forward, "total =")
    yield from [norm, *inner, added] if wrapper.norm_first else [*inner, added, norm]


def _attention(block: str, name: str, x: str) -> Iterator[ForwardStop]:
    stop, init = _under(block, f"{block}.{name}"), MultiHeadedAttention.__init__
    project = {
        "query": (MultiHeadedAttention.queries, "return tap"),
        "key": (MultiHeadedAttention.keys_and_values, "k = tap"),
        "value": (MultiHeadedAttention.keys_and_values, "v = tap"),
    }
    memory = "encoder.output" if name == "src_attn" else x
    mask = "tgt_mask" if name == "self_attn" and block.startswith("decoder") else "src_mask"
    cross = "cross_" if name == "src_attn" else ""
    for j, (role, given) in enumerate(zip(("query", "key", "value"), (x, memory, memory))):
        yield stop(f"b_{role}", f".linears.{j}.bias", "", init, "self.linears =")
        yield stop(f"{cross}{role}", f".{role}", f"{given} .linears.{j}.weight", *project[role])
    yield stop("scores", ".scores", ".query .key", attention_steps, "scores =")
    yield stop("masked", ".masked", f".scores {mask}", masked_softmax, "masked =")
    yield stop(f"{cross}weights", ".weights", ".masked", masked_softmax, "return")
    yield stop("heads", ".heads", ".weights .value", attention_steps, "return")
    yield stop("merged", ".merged", ".heads", merge_steps, "merged =")
    yield stop("b_output", ".linears.3.bias", "", init, "self.linears =")
    yield stop("attended", ".output", ".merged .linears.3.weight", merge_steps, "output =")


def _feed_forward(block: str, x: str) -> Iterator[ForwardStop]:
    stop = _under(block, f"{block}.feed_forward")
    init, steps = PositionwiseFeedForward.__init__, PositionwiseFeedForward.steps
    yield stop("w_1", ".w_1.weight", "", init, "self.w_1 =")
    yield stop("b_1", ".w_1.bias", "", init, "self.w_1 =")
    yield stop("pre_activation", ".pre_activation", f"{x} .w_1.weight", steps, "pre_activation =")
    yield stop("hidden", ".hidden", ".pre_activation", steps, "hidden =")
    yield stop("w_2", ".w_2.weight", "", init, "self.w_2 =")
    yield stop("b_2", ".w_2.bias", "", init, "self.w_2 =")
    yield stop("output", ".output", ".hidden .w_2.weight", steps, "return")


AROUND = 2  # lines shown before the one in question, and after it


class Source(NamedTuple):
    """The line that computes a stop's tensor, among its neighbours."""

    file: str
    first: int  # line number of lines[0]
    lines: list[str]
    at: int  # index of the line in question


@cache
def source_of(stop: ForwardStop) -> Source:
    """The actual line from the file on disk. LookupError if the function has no such line."""
    lines, start = inspect.getsourcelines(stop.code)
    found = [index for index, line in enumerate(lines) if line.strip().startswith(stop.line)]
    if len(found) != 1:
        raise LookupError(f"{stop.code.__qualname__}: {len(found)} lines begin with {stop.line!r}")
    low, high = max(0, found[0] - AROUND), min(len(lines), found[0] + AROUND + 1)
    file = Path(inspect.getfile(stop.code))
    shown = [line.rstrip() for line in lines[low:high]]
    return Source(f"{file.parent.name}/{file.name}", start + low, shown, found[0] - low)
