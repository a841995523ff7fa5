"""A model with one thing broken in all its attentions (paper, section 3.2), to see which checks notice."""

from typing import Literal, TypeVar

import torch
from torch import Tensor, nn

from transformer_core.attention import AttentionSteps, MultiHeadedAttention, attention_steps
from transformer_core.copies import twin
from transformer_core.trace import tap, tap_of

Break = Literal["none", "scale", "mask", "axis"]
M = TypeVar("M", bound=nn.Module)


class WithoutScale(MultiHeadedAttention):
    """softmax(QKᵀ) V: equation (1) without its 1/√d_k."""

    def attend(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None) -> AttentionSteps:
        return attention_steps(query, key, value, mask, self.dropout, scale=False, keep=tap_of(self))


class MaskOffByOne(MultiHeadedAttention):
    """Every query has the mask of the next one: with look-ahead, it sees one token of the future.

    A mask with one row for all queries, padding alone, stays as it is.
    """

    def attend(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None) -> AttentionSteps:
        if mask is not None:
            mask = torch.cat([mask[..., 1:, :], mask[..., -1:, :]], dim=-2)
        return super().attend(query, key, value, mask)


class SoftmaxOverQueries(MultiHeadedAttention):
    """The softmax goes down the columns of the scores, over the queries, instead of along the rows, over the keys."""

    def attend(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None) -> AttentionSteps:
        steps = super().attend(query, key, value, mask)
        weights = tap(self, "weights", steps.masked.softmax(dim=-2))
        dropped = tap(self, "dropped", self.dropout(weights))
        return steps._replace(weights=weights, dropped=dropped, output=dropped @ value)


BROKEN: dict[Break, type[MultiHeadedAttention]] = {
    "scale": WithoutScale,
    "mask": MaskOffByOne,
    "axis": SoftmaxOverQueries,
}


def broken(model: M, how: Break) -> M:
    """A copy of `model` with every attention in it broken, which shares its weights; the model is left as it was.

    With "none" it is the model itself.
    """
    if how == "none":
        return model
    copy = twin(model)
    for attention in _attentions(copy):
        attention.__class__ = BROKEN[how]
    return copy


def _attentions(model: nn.Module) -> list[MultiHeadedAttention]:
    return [module for module in model.modules() if isinstance(module, MultiHeadedAttention)]
