"""The scores of the model at hand, before any mask, and what they are made of."""

from typing import NamedTuple

from torch import Tensor

from transformer_core import START
from ui.figures import Operand
from ui.figures.formula import Formula, I, J, Matrix
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
        scaled(product(lambda at: q[I, at], lambda at: k[J, at], d_k), scale),
        (Operand("q", query.numpy(), meaning="query"), Operand("k", key.numpy(), meaning="key")),
    )
