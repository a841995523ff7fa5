"""The scores of the model at hand before any mask, what they are made of, and the panels and lines that masks share."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from torch import Tensor

from transformer_core import START
from transformer_core.attention import BLOCKED
from ui.figures import Operand, Panel
from ui.figures.formula import Cases, Formula, I, J, K, Matrix, Number, by_row, exp, total
from ui.figures.paper import product, scaled
from ui.model import ModelAtHand, recorded


class HeadScores(NamedTuple):
    """One head's scores in the first decoder layer's self-attention."""

    origin: str
    values: Tensor  # (T, T)
    made: Formula | None = None
    operands: tuple[Operand, ...] = ()


def model_scores(at_hand: ModelAtHand, head: int, tokens: Tensor) -> HeadScores:
    """For tokens (T,), of this head or the last one."""
    head = min(head, at_hand.config.h - 1)
    ids = tuple(tokens.tolist())
    trace = recorded(at_hand, (START,), ids)  # what the source is does not matter before the cross-attention
    path = "decoder.layers.0.self_attn"
    query, key, scores = (trace[f"{path}.{name}"][0, head] for name in ("query", "key", "scores"))
    d_k = query.size(1)
    q, k = Matrix("q"), Matrix("k")
    scale = d_k if at_hand.config.scale else None
    return HeadScores(
        at_hand.provenance(f"{path}.scores", *scores.shape, head=head),
        scores,
        scaled(product(q, k, d_k), scale),
        (Operand("q", query.numpy(), meaning="query"), Operand("k", key.numpy(), meaning="key")),
    )


# What the figures of the chapter on masks share.

LOOK_AHEAD = J.at_most(I)


def shares(allowed: Tensor, amount: Formula, other: Formula) -> Cases:
    """The weights where the scores of pairs (T, S) that are not `allowed` become −10⁹.

    A row is shared out by the `amount` of key j, 0 if it is blocked, among the `other` amounts, of keys k; with every
    key blocked, only that −10⁹ is left to share it out by.
    """
    queries, keys = allowed.shape
    alike = exp(Number(BLOCKED) - BLOCKED)
    open_row, closed_row = amount / total(K, keys, other), alike / total(K, keys, alike)
    return by_row(*(open_row if allowed[row].any() else closed_row for row in range(queries)))


def weighted(
    square: Callable[..., Panel], key: str, weights: Tensor, title: str, place: tuple[int, int], made: Cases | Formula
) -> Panel:
    """A panel of weights, made by what makes panels of pairs."""
    drawn = {"scale": "probability", "symbol": "α", "print_values": True}
    return square(key, weights.numpy(), title, place=place, made=made, **drawn)


def written(values: Sequence[object]) -> str:
    """Nested lists as Python reads them, a row a line; repr of a float32's value is exact."""
    return repr([list(row) if isinstance(row, Sequence) else row for row in values]).replace("], [", "],\n    [")
