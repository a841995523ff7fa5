"""A mask of numbers: of 0 and 1 it means what Booleans mean, and any other is refused with what to write instead."""

import math
from typing import Any

import pytest
import torch
from torch import nn

from tests.core.build import D_MODEL, HEADS, small_batch, small_model
from transformer_core import (
    Batch,
    CachedDecoder,
    MultiHeadedAttention,
    attention,
    attention_steps,
    greedy_decode,
    intervene,
    record,
    subsequent_mask,
)
from transformer_core.backward import unmasked
from transformer_core.experiments.rivals import make_rival
from transformer_core.masks import boolean_mask
from transformer_core.softmax import masked_softmax

T, S, D_K = 3, 5, 4
AHEAD = subsequent_mask(T)[0]


def added(blocked: float, dtype: torch.dtype = torch.float32, mask: torch.Tensor = AHEAD) -> torch.Tensor:
    """As PyTorch and others add it to the scores: 0 where a query may attend."""
    return torch.zeros(mask.shape, dtype=dtype).masked_fill(~mask, blocked)


ADDED = {
    "torch.nn": nn.Transformer.generate_square_subsequent_mask(T),
    "one key": nn.Transformer.generate_square_subsequent_mask(2)[:1, 1:],
    **{f"finfo.min of {kind}": added(torch.finfo(kind).min, kind) for kind in (torch.float32, torch.float64)},
    **{f"half, {kind}": added(torch.finfo(kind).min, kind) for kind in (torch.float16, torch.bfloat16)},
    "-1e9": added(-1e9),
    "-1e4": added(-1e4),
    "padding, for each head": added(-math.inf, mask=torch.tensor([True, True, False]).view(1, 1, 1, 3)),
    "for all heads": added(-1e4, mask=AHEAD.expand(2, HEADS, T, T)),
    "everything blocked": torch.full((T, T), -math.inf),
    "whole numbers": torch.where(AHEAD, 0, -10_000),
}


@pytest.mark.parametrize("mask", ADDED.values(), ids=ADDED)
def test_a_mask_that_pytorch_adds_to_the_scores_is_refused_and_the_sentence_helps(mask: torch.Tensor) -> None:
    query = torch.randn(2, HEADS, T, D_K, dtype=torch.float64)
    keys = torch.randn(2, HEADS, mask.size(-1), D_K, dtype=torch.float64)
    with pytest.raises(ValueError, match=r"True or 1 where a query may attend.*adds these to the scores") as refusal:
        attention(query, keys, keys, mask)
    assert "write `mask == 0`" in str(refusal.value)
    assert str(tuple(mask.shape)) in str(refusal.value)
    _, weights = attention(query, keys, keys, mask == 0)
    scores = query @ keys.transpose(-2, -1) / math.sqrt(D_K)
    if (mask == 0).any():
        torch.testing.assert_close(weights, (scores + mask.double()).softmax(-1), rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    ("values", "instead"),
    [
        ([0.0, 255.0], "write `mask > 0`"),
        ([0.0, 1.0, 2.0], "holds 0, 1, 2: write `mask > 0`"),  # two masks added to each other
        ([0.3, 1.0], "0.3, 1"),
        ([0.0, 1e9], "write `mask == 0` where the large numbers block"),
        ([0.0, math.inf], "write `mask == 0` where the large numbers block"),
        ([-0.5, 0.0, -0.25], "are no mask; the path `….scores` takes them"),
        ([-3.0, 0.5, 2.0, 0.1, 0.2], "and 2 more values: numbers that are added"),
        ([-1.0, 1.0], "are no mask"),
        ([0.0, math.nan], "build it from a condition"),
        ([0.0, 1.0 + 2j], "build it from a condition"),
    ],
)
def test_whatever_else_it_holds_is_said(values: list[Any], instead: str) -> None:
    keys = torch.randn(len(values), D_K)
    with pytest.raises(ValueError, match="may attend") as refusal:
        attention(keys, keys, keys, torch.tensor(values))
    assert instead in str(refusal.value)


def test_a_bias_goes_where_the_sentence_sends_it() -> None:
    heads, x = MultiHeadedAttention(HEADS, D_MODEL).eval(), torch.randn(2, T, D_MODEL)
    bias = -(torch.arange(T) - torch.arange(T)[:, None]).abs() / 2.0
    with intervene(heads, {"scores": lambda scores: scores + bias}), record(heads) as trace:
        heads(x, x, x)
    torch.testing.assert_close(trace["scores"], trace["products"] / math.sqrt(D_MODEL / HEADS) + bias)


@pytest.mark.parametrize("dtype", [torch.float16, torch.float64, torch.int8, torch.int64, torch.uint8])
def test_zeros_and_ones_of_any_kind_mean_false_and_true(dtype: torch.dtype) -> None:
    mask = AHEAD.to(dtype)
    assert boolean_mask(mask).dtype == torch.bool
    assert torch.equal(boolean_mask(mask), AHEAD)


def test_booleans_are_not_read() -> None:
    assert boolean_mask(AHEAD) is AHEAD


def test_whatever_takes_a_mask_refuses_one_that_is_added() -> None:
    model, batch = small_model().eval(), small_batch()
    ahead = nn.Transformer.generate_square_subsequent_mask(batch.tgt.size(1))
    hidden = added(-math.inf, mask=batch.src_mask)
    memory = model.encode(batch.src, batch.src_mask)
    rivals = [make_rival(kind, 11, 11, 8, 2, 6) for kind in ("recurrent", "convolution")]
    src = torch.tensor([[1, 2, 3, 0]])
    source = added(-math.inf, mask=(src != 0).unsqueeze(1))
    for call in (
        lambda: model(batch.src, batch.tgt, batch.src_mask, ahead),
        lambda: model(batch.src, batch.tgt, hidden, batch.tgt_mask),
        lambda: model.encode(batch.src, hidden),
        lambda: model.decode(memory, hidden, batch.tgt, batch.tgt_mask),
        lambda: greedy_decode(model, batch.src[:1], hidden[:1], 4),
        lambda: CachedDecoder(model, memory, torch.full_like(hidden, -math.inf)),
        lambda: masked_softmax(torch.zeros(T, T), added(-math.inf), -math.inf),
        lambda: attention_steps(torch.eye(T), torch.eye(T), torch.eye(T), added(-1e9)),
        lambda: unmasked(added(-math.inf), torch.ones(T, T)),
        *(lambda rival=rival: rival.encode(src, source) for rival in rivals),
    ):
        with pytest.raises(ValueError, match="write `mask == 0`"):
            call()


def test_a_mask_that_learns_and_a_compiled_attention_are_as_before() -> None:
    keys = torch.randn(T, D_K, requires_grad=True)
    learned = AHEAD.float().requires_grad_()
    attention(keys, keys, keys, learned)[0].sum().backward()
    assert keys.grad is not None
    assert learned.grad is None
    torch._dynamo.reset()
    compiled = torch.compile(attention, fullgraph=True, backend="eager")
    for mask in (AHEAD, AHEAD.float(), AHEAD.long()):
        assert torch.equal(compiled(keys, keys, keys, mask)[1], attention(keys, keys, keys, mask)[1])
    with pytest.raises(ValueError, match="write `mask == 0`"):
        compiled(keys, keys, keys, added(-math.inf))


def test_the_masks_of_a_batch_are_booleans() -> None:
    batch = Batch(torch.tensor([[1, 2, 0]]), torch.tensor([[1, 2, 0]]))
    assert batch.src_mask.dtype == batch.tgt_mask.dtype == torch.bool
