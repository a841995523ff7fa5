"""Scaled dot-product attention, equation (1), and multi-head attention."""

import math

import pytest
import torch
from torch import Tensor, nn

from tests.core.build import BATCH, D_K, D_MODEL, HEADS, S, T, assert_within, small_batch, small_model, unsettle
from transformer_core import (
    Embeddings,
    MultiHeadedAttention,
    PositionalEncoding,
    attention,
    attention_steps,
    keeping_attn,
    record,
    subsequent_mask,
)


def test_one_query_and_two_keys_worked_by_hand() -> None:
    query = torch.tensor([[3.0, 0.0, 0.0, 4.0]])  # (1, 4): √d_k is 2
    key = torch.tensor([[2.0, 9.0, 9.0, 0.0], [0.0, 9.0, 9.0, 1.0]])
    value = torch.tensor([[10.0, 0.0, 1.0], [0.0, 20.0, 1.0]])

    steps = attention_steps(query, key, value)

    assert torch.equal(steps.products, torch.tensor([[6.0, 4.0]]))
    assert torch.equal(steps.scores, torch.tensor([[3.0, 2.0]]))
    share = math.e / (1 + math.e)  # e³ / (e³ + e²)
    assert_within(steps.weights, torch.tensor([[share, 1 - share]]), 1e-6)
    assert_within(steps.output, torch.tensor([[10 * share, 20 * (1 - share), 1.0]]), 1e-5)


def test_without_scale_the_scores_are_the_products() -> None:
    query, key, value = torch.randn(2, D_K), torch.randn(3, D_K), torch.randn(3, 5)
    steps = attention_steps(query, key, value, scale=False)

    assert torch.equal(steps.scores, steps.products)
    assert_within(steps.weights, (query @ key.T).softmax(-1), 1e-6)


def test_the_masked_two_by_two_block_has_the_printed_weights() -> None:
    # Fed as queries to unit keys, the notes' scores come out of the product as they went in, times √2.
    scores = torch.tensor([[1.9743, -0.65912], [-1.5183, 0.60389], [-0.50436, 1.9787]]) * math.sqrt(2)
    key = torch.cat([torch.eye(2), torch.ones(3, 2)])  # (5, 2): the three paddings must not matter
    mask = torch.tensor([[1, 1, 0, 0, 0], [1, 1, 0, 0, 0], [0, 0, 0, 0, 0]])
    printed = torch.tensor([[0.9330, 0.0670, 0, 0, 0], [0.1070, 0.8930, 0, 0, 0]])

    minus_infinity = attention_steps(scores, key, torch.randn(5, 4), mask, blocked=-math.inf)
    assert_within(minus_infinity.weights[:2], printed, 5e-5)
    assert minus_infinity.weights[2].isnan().all()

    finite = attention_steps(scores, key, torch.randn(5, 4), mask)
    assert_within(finite.weights[:2], printed, 5e-5)
    assert_within(finite.weights[2], torch.full((5,), 0.2), 1e-7)


def test_a_mask_that_blocks_everything_gives_uniform_rows_of_a_quarter() -> None:
    x = torch.randn(2, 4, 512)
    output, weights = attention(x, x, x, torch.zeros(2, 4, 4))

    assert torch.equal(weights, torch.full((2, 4, 4), 0.25))
    assert_within(output, x.mean(1, keepdim=True).expand(2, 4, 512), 1e-6)


def test_minus_infinity_instead_makes_those_rows_nan() -> None:
    x = torch.randn(2, 4, 6)
    steps = attention_steps(x, x, x, torch.zeros(2, 4, 4), blocked=-math.inf)
    assert steps.weights.isnan().all()
    assert steps.output.isnan().all()


def test_embeddings_times_the_root_of_512_saturate_the_softmax_to_the_identity() -> None:
    ids = torch.tensor([[100, 2, 421, 508], [491, 998, 1, 221]])
    x = PositionalEncoding(512, dropout=0.1, max_len=60)(Embeddings(512, 1000)(ids))
    output, weights = attention(x, x, x)

    assert torch.equal(weights, torch.eye(4).expand(2, 4, 4))
    assert torch.equal(output, x)


def test_the_variance_of_a_product_is_d_k_and_of_a_score_one() -> None:
    for d_k in (4, 64, 512):
        query, key = torch.randn(4000, 1, d_k), torch.randn(4000, 5, d_k)
        steps = attention_steps(query, key, key)
        assert steps.products.var().item() == pytest.approx(d_k, rel=0.05)
        assert steps.scores.var().item() == pytest.approx(1, rel=0.05)


def test_every_row_of_weights_sums_to_one_with_and_without_a_mask() -> None:
    query, key, value = torch.randn(BATCH, T, D_K), torch.randn(BATCH, S, D_K), torch.randn(BATCH, S, 8)
    for mask in (None, torch.rand(BATCH, 1, S) > 0.5):
        _, weights = attention(query, key, value, mask)
        assert weights.shape == (BATCH, T, S)
        assert_within(weights.sum(-1), torch.ones(BATCH, T), 1e-6)


def test_a_blocked_key_gets_no_weight_and_its_value_does_not_matter() -> None:
    query, key, value = torch.randn(T, D_K), torch.randn(S, D_K), torch.randn(S, 8)
    mask = torch.arange(S) != 2
    output, weights = attention(query, key, value, mask)
    value[2], key[2] = 1e6, -1e3

    assert torch.equal(weights[:, 2], torch.zeros(T))
    assert torch.equal(attention(query, key, value, mask)[0], output)


def test_reordering_keys_with_their_values_changes_nothing() -> None:
    query, key, value = torch.randn(T, D_K), torch.randn(S, D_K), torch.randn(S, 8)
    order = torch.randperm(S)
    assert_within(attention(query, key[order], value[order])[0], attention(query, key, value)[0], 1e-6)


@pytest.mark.parametrize("dtype", [torch.uint8, torch.float32, torch.int64])
def test_a_mask_of_ones_and_zeros_does_what_true_and_false_do(dtype: torch.dtype) -> None:
    query, key, value = torch.randn(T, D_K), torch.randn(T, D_K), torch.randn(T, 8)
    mask = subsequent_mask(T)[0]
    assert torch.equal(attention(query, key, value, mask.to(dtype))[0], attention(query, key, value, mask)[0])


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision_masks_as_exactly_as_single(dtype: torch.dtype) -> None:
    x = torch.randn(T, D_K, dtype=dtype)
    _, weights = attention(x, x, x, subsequent_mask(T)[0])
    assert weights.dtype == dtype
    assert weights.triu(1).count_nonzero() == 0


def test_dropout_acts_after_the_softmax_and_the_weights_shown_are_those_before() -> None:
    query, key, value = torch.randn(40, D_K), torch.randn(30, D_K), torch.randn(30, 8)
    steps = attention_steps(query, key, value, dropout=nn.Dropout(0.2))
    kept = steps.dropped != 0

    assert 0.1 < 1 - kept.float().mean() < 0.3
    assert_within(steps.dropped[kept], (steps.weights / 0.8)[kept], 1e-6)
    assert_within(steps.weights.sum(-1), torch.ones(40), 1e-6)
    assert_within(steps.output, steps.dropped @ value, 1e-6)


def test_the_weights_handed_over_and_recorded_are_those_before_dropout() -> None:
    x = torch.randn(BATCH, T, D_MODEL)
    _, weights = attention(x, x, x, dropout=nn.Dropout(0.5))
    assert_within(weights.sum(-1), torch.ones(BATCH, T), 1e-6)

    heads = MultiHeadedAttention(HEADS, D_MODEL, dropout=0.5)
    with record(heads) as trace:
        heads(x, x, x)
    assert_within(trace["weights"].sum(-1), torch.ones(BATCH, HEADS, T), 1e-6)
    assert (trace["dropped"] == 0).any()


def test_every_head_can_do_without_the_scale() -> None:
    heads, x = MultiHeadedAttention(HEADS, D_MODEL, scale=False), torch.randn(BATCH, T, D_MODEL)
    with record(heads) as trace:
        heads(x, x, x)
    assert torch.equal(trace["scores"], trace["products"])


def test_each_head_sees_only_its_own_slice_of_the_projections() -> None:
    heads = MultiHeadedAttention(HEADS, D_MODEL).eval()
    unsettle(heads)
    x, memory = torch.randn(BATCH, T, D_MODEL), torch.randn(BATCH, S, D_MODEL)
    to_query, to_key, to_value, to_output = heads.linears
    slices = [
        attention(to_query(x)[..., part], to_key(memory)[..., part], to_value(memory)[..., part])
        for part in (slice(head * D_K, (head + 1) * D_K) for head in range(HEADS))
    ]

    with record(heads) as trace:
        output = heads(x, memory, memory)

    assert trace["weights"].shape == (BATCH, HEADS, T, S)
    assert_within(trace["weights"], torch.stack([weights for _, weights in slices], dim=1), 1e-6)
    assert_within(output, to_output(torch.cat([out for out, _ in slices], dim=-1)), 1e-6)


def test_a_mask_with_a_batch_axis_masks_by_batch_whatever_the_number_of_heads() -> None:
    # Batch and heads are equal on purpose: broadcasting the batch over the heads would go unnoticed in the shapes.
    heads = MultiHeadedAttention(HEADS, D_MODEL).eval()
    x = torch.randn(HEADS, T, D_MODEL)
    mask = torch.arange(T).view(1, 1, T) <= torch.arange(HEADS).view(HEADS, 1, 1)  # sequence b sees keys 0…b
    with record(heads) as trace:
        heads(x, x, x, mask)

    seen = trace["weights"] > 0  # (batch, heads, T, T)
    assert torch.equal(seen, mask.unsqueeze(1).expand_as(seen))


def test_masks_of_two_three_and_four_axes_mean_the_same() -> None:
    heads = MultiHeadedAttention(HEADS, D_MODEL).eval()
    x = torch.randn(BATCH, T, D_MODEL)
    mask = subsequent_mask(T)
    expected = heads(x, x, x, mask)
    assert torch.equal(heads(x, x, x, mask[0]), expected)
    assert torch.equal(heads(x, x, x, mask.expand(BATCH, T, T).unsqueeze(1)), expected)


def test_in_the_notes_way_every_attention_that_was_called_holds_its_last_weights() -> None:
    model, batch = small_model(), small_batch()
    with keeping_attn(model), record(model) as trace:
        model.encode(batch.src, batch.src_mask)
    assert not hasattr(model.encoder.layers[0].self_attn, "attn"), "the inner recording records"
    with keeping_attn(model):
        memory = model.encode(batch.src, batch.src_mask)
    attn: Tensor = vars(model.encoder.layers[0].self_attn)["attn"]
    assert torch.equal(attn, trace["encoder.layers.0.self_attn.weights"])
    assert not attn.requires_grad
    assert memory.requires_grad
    assert not hasattr(model.decoder.layers[0].self_attn, "attn")
