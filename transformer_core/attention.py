"""Scaled dot-product and multi-head attention (paper, section 3.2)."""

import math
from collections.abc import Iterable
from typing import NamedTuple, cast

import torch
from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention

from transformer_core.copies import clones
from transformer_core.devices import check_devices
from transformer_core.dropout import Dropout
from transformer_core.head_merge import merge_steps
from transformer_core.softmax import mask_that_fits, masked_softmax
from transformer_core.trace import Keep, as_computed, only_learns, tap, tap_of

BLOCKED = -1e9  # stands for -inf: a row with nothing to attend to becomes uniform instead of NaN


class AttentionSteps(NamedTuple):
    """Every stage of equation (1), for query (…, T, d_k), key (…, S, d_k) and value (…, S, d_v)."""

    products: Tensor  # (…, T, S)  q·k
    scores: Tensor  # (…, T, S)  q·k / √d_k
    masked: Tensor  # (…, T, S)  scores, with the blocked ones at `blocked`
    weights: Tensor  # (…, T, S)  softmax over the keys: every row sums to one
    dropped: Tensor  # (…, T, S)  weights after dropout; the same numbers in evaluation mode
    output: Tensor  # (…, T, d_v)  weights · v


def attention_steps(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor | None = None,
    dropout: nn.Module | None = None,
    *,
    scale: bool = True,
    blocked: float = BLOCKED,
    keep: Keep = as_computed,
) -> AttentionSteps:
    """Attention(Q, K, V) = softmax(QKᵀ / √d_k) V, equation (1), with all its steps.

    `mask` broadcasts to (…, T, S); True or 1 = may attend, which of PyTorch's masks is `~mask` for Booleans and
    `mask == 0` for 0 and -inf. Each step goes through `keep`, and the next one uses what that returns. ValueError if
    the sizes do not fit, or the mask holds other numbers than 0 and 1.
    """
    _check_sizes(query, key, value)
    products = keep("products", query @ key.transpose(-2, -1))
    scores = keep("scores", products / math.sqrt(query.size(-1)) if scale else products)
    masked, weights = masked_softmax(scores, mask, blocked, keep)
    dropped = keep("dropped", weights if dropout is None else dropout(weights))
    return AttentionSteps(products, scores, masked, weights, dropped, dropped @ value)


def attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, dropout: nn.Module | None = None
) -> tuple[Tensor, Tensor]:
    """Output (…, T, d_v) and weights (…, T, S). The weights are those before dropout, so that their rows sum to one.
    Those after dropout, which the lecture notes return, are given by `transformer_core.notes.attention`."""
    steps = attention_steps(query, key, value, mask, dropout)
    return steps.output, steps.weights


def attention_in_one_pass(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, dropout: float = 0.0, *, scale: bool = True
) -> Tensor:
    """The output of `attention_steps` alone, by `torch.nn.functional.scaled_dot_product_attention`, which keeps neither
    scores nor weights for the backward pass: the same numbers but for their last bits, as `flash_attention` of
    `transformer_core.after_2017` shows. On a GPU its dropout draws others.

    query (batch, h, T, d_k), key (batch, h, S, d_k) and value (batch, h, S, d_v) -> (batch, h, T, d_v). ValueError as
    for `attention_steps`. The query of a row with nothing to attend to counts as 0: such a row is uniform here, too.
    A GPU's kernels cannot be differentiated twice; what is recorded can.
    """
    _check_sizes(query, key, value)
    if mask is not None:
        check_devices(scores=query, mask=mask)
        allowed = torch.atleast_2d(mask_that_fits(mask, torch.Size((*query.shape[:-1], key.size(-2)))))
        some = allowed.any(-1, keepdim=True)
        query, mask = query * some, allowed | ~some
    return scaled_dot_product_attention(query, key, value, mask, dropout, scale=None if scale else 1.0)


class MultiHeadedAttention(nn.Module):
    """h attentions side by side on h slices of the projected vectors (paper, section 3.2.2).

    query (batch, T, d_model), key and value (batch, S, d_model), mask (batch or 1, T or 1, S) -> (batch, T, d_model)
    The four matrices of `linears` are W_Q, W_K, W_V and W_O. ValueError if d_model is no multiple of h, and for vectors
    of another size.
    """

    def __init__(self, h: int, d_model: int, dropout: float = 0.1, *, scale: bool = True) -> None:
        super().__init__()
        if h < 1 or d_model < h or d_model % h:
            raise ValueError(f"d_model = {d_model} cannot be cut into {h} heads of equal size")
        self.d_k = d_model // h
        self.h = h
        self.scale = scale
        self.linears = clones(nn.Linear(d_model, d_model), 4)
        self.dropout = Dropout(dropout)

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Tensor:
        return self.attend_and_merge(self.queries(query), *self.keys_and_values(key, value), mask)

    def queries(self, query: Tensor) -> Tensor:
        """What asks: (batch, T, d_model) -> (batch, h, T, d_k)."""
        to_query, *_ = self.linears
        return tap(self, "query", self._split(to_query, query))

    def keys_and_values(self, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
        """What is attended to: twice (batch, S, d_model) -> twice (batch, h, S, d_k)."""
        _, to_key, to_value, _ = self.linears
        k = tap(self, "key", self._split(to_key, key))
        v = tap(self, "value", self._split(to_value, value))
        return k, v

    def attend_and_merge(self, q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None) -> Tensor:
        """The heads side by side, and W_O: (batch, h, T, d_k) and twice (batch, h, S, d_k) -> (batch, T, d_model)."""
        if mask is not None and mask.dim() == 3:
            mask = mask.unsqueeze(1)  # (batch, 1, T, S): the same for every head
        if self._in_one_pass(q):
            p = self.dropout.p if self.training else 0.0
            return self.merge(attention_in_one_pass(q, k, v, mask, p, scale=self.scale))
        steps = self.attend(q, k, v, mask)
        return self.merge(tap(self, "heads", steps.output))

    def merge(self, heads: Tensor) -> Tensor:
        """Concat(head_1, …, head_h) W_O: (batch, h, T, d_k) -> (batch, T, d_model)."""
        *_, to_output = cast("Iterable[nn.Linear]", self.linears)
        return merge_steps(heads, to_output.weight, to_output.bias, tap_of(self)).output

    def attend(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None) -> AttentionSteps:
        """Equation (1) in every head at once: (batch, h, T, d_k) and twice (batch, h, S, d_k) -> all its steps."""
        return attention_steps(query, key, value, mask, self.dropout, scale=self.scale, keep=tap_of(self))

    def _split(self, linear: nn.Module, x: Tensor) -> Tensor:
        """Project and cut into heads: (batch, length, d_model) -> (batch, h, length, d_k)."""
        d_model = self.h * self.d_k
        if x.dim() != 3 or x.size(-1) != d_model:
            raise ValueError(f"multi-head attention expects (batch, length, {d_model}), got {tuple(x.shape)}")
        heads: Tensor = linear(x).view(*x.shape[:2], self.h, self.d_k).transpose(1, 2)
        return heads if self._in_one_pass(heads) else heads.contiguous()  # for more than one product

    def _in_one_pass(self, heads: Tensor) -> bool:
        """Whether only an output and its gradient are wanted, of the attention and the dropout that stand here."""
        here = type(self).attend is MultiHeadedAttention.attend and type(self.dropout) is Dropout
        return here and only_learns(heads)


def _check_sizes(query: Tensor, key: Tensor, value: Tensor) -> None:
    check_devices(queries=query, keys=key, values=value)
    q, k, v = query.shape, key.shape, value.shape
    if min(len(q), len(k), len(v)) < 2:
        raise ValueError(f"attention is over rows of vectors, not {tuple(q)}, {tuple(k)}, {tuple(v)}")
    if not q[:-2] == k[:-2] == v[:-2]:
        try:
            torch.broadcast_shapes(q[:-2], k[:-2], v[:-2])
        except RuntimeError:
            sizes = f"{tuple(q)}, {tuple(k)}, {tuple(v)}"
            raise ValueError(f"queries, keys and values belong to different batches: {sizes}") from None
    if query.size(-1) != key.size(-1):
        raise ValueError(f"a query of size {query.size(-1)} has no product with a key of size {key.size(-1)}")
    if key.size(-2) != value.size(-2):
        raise ValueError(f"every key needs one value: {key.size(-2)} keys, {value.size(-2)} values")
