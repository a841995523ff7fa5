"""A statement for each fault, which holds for every model without it: a number of the model's own, measured on what it
has recorded of one reading, and the values where that shows.

Each compares a step with the step before it, so that what went wrong earlier does not count.
"""

from collections.abc import Callable
from typing import Literal, NamedTuple

import torch
from torch import Tensor

from transformer_core.embeddings import largest_differences
from transformer_core.exercises.faults.attending import attentions
from transformer_core.exercises.faults.weights import norms
from transformer_core.exercises.faults.which_fault import FAULTS
from transformer_core.masks import padding_mask, target_mask
from transformer_core.model import EncoderDecoder
from transformer_core.tasks.vocabulary import PAD, START
from transformer_core.trace import Trace, record

ROUNDING = 1e-4  # what float32 leaves in a sum
Axis = Literal["src", "tgt", "dimension", "attention", "head", "norm", "table", "token"]


class FaultReading(NamedTuple):
    """A model, what it reads, src (1, S) and tgt (1, T), and all that it has recorded of that."""

    model: EncoderDecoder
    src: Tensor
    tgt: Tensor
    trace: Trace

    @property
    def d_model(self) -> int:
        return self.model.generator.proj.in_features

    @property
    def table(self) -> Tensor:
        """Of the target: (vocab, d_model)."""
        return self.model.get_parameter("tgt_embed.0.lut.weight").detach()

    def each(self, name: str) -> dict[str, Tensor]:
        """A recorded value of every attention, by the attention's path: (h, …)."""
        return {path: self.trace[f"{path}.{name}"][0] for path in attentions(self.model)}


class Evidence(NamedTuple):
    """Of the fault of this name. `measured` is a number by which a model has the fault or not, as `holds` says of it;
    `shown` are the values where one sees it, (rows, columns), which are of these `axes`."""

    name: str
    measured: Callable[[FaultReading], float]
    holds: Callable[[float], bool]
    shown: Callable[[FaultReading], Tensor]
    axes: tuple[Axis, Axis]


def read(model: EncoderDecoder, src: Tensor, tgt: Tensor) -> FaultReading:
    with torch.inference_mode(), record(model) as trace:
        model.generator(model(src, tgt, padding_mask(src, PAD), target_mask(tgt, PAD)))
    return FaultReading(model, src, tgt, trace)


def ratio_of_scores(read: FaultReading) -> float:
    """q·k over the score: √d_k. Of the largest product, whose rounding counts least."""
    products, scores = (torch.cat([one.flatten() for one in read.each(n).values()]) for n in ("products", "scores"))
    at = products.abs().argmax()
    return float(products[at] / scores[at])


def weight_of_the_future(read: FaultReading) -> float:
    """The largest weight of the decoder on a token that stands after its own position."""
    return max(
        float(one.triu(1).max())
        for path, one in read.each("weights").items()
        if path.startswith("decoder") and path.endswith("self_attn")
    )


def row_sum(read: FaultReading) -> float:
    """That of a row of weights which is furthest from 1."""
    sums = torch.cat([one.sum(-1).flatten() for one in read.each("weights").values()])
    return float(sums[(sums - 1).abs().argmax()])


def apart_from_its_heads(read: FaultReading) -> float:
    """The largest difference of what is merged from the heads, side by side for each position."""
    merged, heads = read.each("merged"), read.each("heads")
    return max(float((one - heads[path].transpose(0, 1).flatten(1)).abs().max()) for path, one in merged.items())


def quietest_head(read: FaultReading) -> float:
    """The largest output of the head whose largest output is the smallest."""
    return float(outputs_of_heads(read).min())


def outputs_of_heads(read: FaultReading) -> Tensor:
    """The largest output of each head: (attentions, h)."""
    return torch.stack([one.abs().flatten(1).amax(1) for one in read.each("heads").values()])


def first_row_from_start(read: FaultReading) -> float:
    """The largest difference of the first row that the decoder looks up from that of the start symbol."""
    return float((read.trace["tgt_embed.0.rows"][0, 0] - read.table[START]).abs().max())


def other_rows_from_their_tokens(read: FaultReading) -> float:
    """The largest difference of the rows that the decoder looks up, but for the first, from those of its tokens."""
    rows = read.trace["tgt_embed.0.rows"][0, 1:]
    return float((rows - read.table[read.tgt[0, 1:]]).abs().amax())


def rows_from_tokens(read: FaultReading) -> Tensor:
    """Of each row that the decoder looks up the largest difference from the row of each of its tokens: (T, T)."""
    rows, T = read.trace["tgt_embed.0.rows"][0], read.tgt.size(1)
    return largest_differences(torch.cat([rows, read.table[read.tgt[0]]]))[:T, T:]


def factor_of_embeddings(read: FaultReading) -> float:
    """Output over row: √d_model. Of the largest number of the table."""
    rows, output = (read.trace[f"src_embed.0.{name}"].flatten() for name in ("rows", "output"))
    at = rows.abs().argmax()
    return float(output[at] / rows[at])


def largest_of_code(read: FaultReading) -> float:
    """The largest number of what is added for the position: cos 0 = 1 at the first one."""
    return float(read.trace["src_embed.1.code"].abs().max())


def gain_from_one(read: FaultReading) -> float:
    """The largest |a_2 − 1| of all norms: what training has made of a gain that began with 1."""
    return float((gains(read) - 1).abs().max())


def gains(read: FaultReading) -> Tensor:
    """(norms, d_model)"""
    return torch.stack([norm.a_2.detach() for norm in norms(read.model).values()])


def dropped_from_weights(read: FaultReading) -> float:
    """The largest difference of the weights that meet the values from those that the softmax gave."""
    dropped, weights = read.each("dropped"), read.each("weights")
    return max(float((one - weights[path]).abs().max()) for path, one in dropped.items())


def matrix_from_table(read: FaultReading) -> float:
    """The largest difference of the last layer's matrix from the table of the target's embeddings."""
    return float(matrix_and_table(read).max())


def matrix_and_table(read: FaultReading) -> Tensor:
    """The largest |the last layer's matrix − the table| in the row of each token: (1, vocab)."""
    return (read.model.generator.proj.weight.detach() - read.table).abs().amax(-1).unsqueeze(0)


def _is(wanted: float) -> Callable[[float], bool]:
    return lambda found: abs(found - wanted) <= ROUNDING * max(1.0, abs(wanted))


def _some(found: float) -> bool:
    return found > ROUNDING


def _at(path: str) -> Callable[[FaultReading], Tensor]:
    return lambda read: read.trace[path][0]


def _by_head(path: str) -> Callable[[FaultReading], Tensor]:
    return lambda read: read.trace[path][0, 0]


def statements(d_model: int, h: int) -> dict[str, Evidence]:
    """Every statement about a model of this size, by the name of the fault that breaks it."""
    encoder, decoder = "encoder.layers.0.self_attn", "decoder.layers.0.self_attn"
    every = (
        Evidence("scale", ratio_of_scores, _is((d_model // h) ** 0.5), _by_head(f"{encoder}.scores"), ("src", "src")),
        Evidence("mask", weight_of_the_future, _is(0), _by_head(f"{decoder}.weights"), ("tgt", "tgt")),
        Evidence("axis", row_sum, _is(1), _by_head(f"{encoder}.weights"), ("src", "src")),
        Evidence("merge", apart_from_its_heads, _is(0), _at(f"{encoder}.merged"), ("src", "dimension")),
        Evidence("head", quietest_head, _some, outputs_of_heads, ("attention", "head")),
        Evidence("start", first_row_from_start, _is(0), rows_from_tokens, ("tgt", "tgt")),
        Evidence("shift", other_rows_from_their_tokens, _is(0), rows_from_tokens, ("tgt", "tgt")),
        Evidence("root", factor_of_embeddings, _is(d_model**0.5), _at("src_embed.0.output"), ("src", "dimension")),
        Evidence("positions", largest_of_code, _is(1), _at("src_embed.1.code"), ("src", "dimension")),
        Evidence("gain", gain_from_one, _some, gains, ("norm", "dimension")),
        Evidence("dropout", dropped_from_weights, _is(0), _by_head(f"{encoder}.dropped"), ("src", "src")),
        Evidence("tied", matrix_from_table, _some, matrix_and_table, ("table", "token")),
    )
    return {one.name: one for one in every}


class Against(NamedTuple):
    """Why another fault than the one that was named is hidden: `statement` holds where the named one would break it,
    or else is broken where the named one would not."""

    statement: str
    holds: bool


def against(named: str, hidden: str) -> Against | None:
    """None where it is that very fault."""
    would, does = FAULTS[named].breaks, FAULTS[hidden].breaks
    kept = [statement for statement in would if statement not in does]
    broken = [statement for statement in does if statement not in would]
    if named == hidden:
        return None
    return Against(kept[0], holds=True) if kept else Against(broken[0], holds=False)
