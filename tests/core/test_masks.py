"""Masks: True = may attend."""

import math

import pytest
import torch

from tests.core.build import assert_within
from transformer_core import (
    MultiHeadedAttention,
    attention,
    attention_steps,
    create_masks,
    padding_mask,
    query_row_mask,
    subsequent_mask,
    target_mask,
    valid_pairs,
)
from transformer_core.masks import per_head, sliced

TGT = torch.tensor([[4, 2, 3, 0, 0], [5, 6, 0, 0, 0]])  # (2, 5), the last ones are paddings


def test_position_i_may_attend_to_itself_and_to_what_came_before() -> None:
    mask = subsequent_mask(5)
    assert mask.dtype == torch.bool
    assert mask.int().tolist() == [
        [[1, 0, 0, 0, 0], [1, 1, 0, 0, 0], [1, 1, 1, 0, 0], [1, 1, 1, 1, 0], [1, 1, 1, 1, 1]],
    ]


def test_the_mask_of_decoding_grows_from_one_by_one() -> None:
    for size in range(1, 5):
        mask = subsequent_mask(size)
        assert mask.shape == (1, size, size)
        assert mask.sum() == size * (size + 1) // 2
        assert torch.equal(mask[:, :-1, :-1], subsequent_mask(size - 1))


def test_the_padding_mask_is_one_row_of_real_keys_for_every_query() -> None:
    assert padding_mask(TGT).int().tolist() == [[[1, 1, 1, 0, 0]], [[1, 1, 0, 0, 0]]]
    assert padding_mask(TGT, pad=2).int().tolist() == [[[1, 0, 1, 1, 1]], [[1, 1, 1, 1, 1]]]


def test_the_target_mask_is_padding_and_look_ahead_together() -> None:
    assert target_mask(TGT).int().tolist() == [
        [[1, 0, 0, 0, 0], [1, 1, 0, 0, 0], [1, 1, 1, 0, 0], [1, 1, 1, 0, 0], [1, 1, 1, 0, 0]],
        [[1, 0, 0, 0, 0], [1, 1, 0, 0, 0], [1, 1, 0, 0, 0], [1, 1, 0, 0, 0], [1, 1, 0, 0, 0]],
    ]


def test_create_masks_leaves_an_axis_for_the_heads() -> None:
    src = torch.tensor([[7, 7, 1, 0, 0, 0], [7, 3, 1, 1, 2, 0]])
    src_mask, tgt_mask = create_masks(src, TGT, pad_token=0)

    assert src_mask.shape == (2, 1, 1, 6)
    assert tgt_mask.shape == (2, 1, 5, 5)
    assert src_mask.squeeze().int().tolist() == [[1, 1, 1, 0, 0, 0], [1, 1, 1, 1, 1, 0]]
    assert torch.equal(tgt_mask.squeeze(1), target_mask(TGT))


def test_create_masks_takes_another_padding_token() -> None:
    src_mask, tgt_mask = create_masks(torch.tensor([[0, 5, 9]]), torch.tensor([[0, 9]]), pad_token=9)
    assert src_mask.int().tolist() == [[[[1, 1, 0]]]]
    assert tgt_mask.int().tolist() == [[[[1, 0], [1, 0]]]]


def test_the_notes_mask_blanks_the_rows_of_padded_queries_instead_of_the_columns_of_padded_keys() -> None:
    assert query_row_mask(TGT).int().tolist() == [
        [[1, 0, 0, 0, 0], [1, 1, 0, 0, 0], [1, 1, 1, 0, 0], [0, 0, 0, 0, 0], [0, 0, 0, 0, 0]],
        [[1, 0, 0, 0, 0], [1, 1, 0, 0, 0], [0, 0, 0, 0, 0], [0, 0, 0, 0, 0], [0, 0, 0, 0, 0]],
    ]


def test_a_blanked_row_is_uniform_under_a_finite_fill_and_nan_under_minus_infinity() -> None:
    x, mask = torch.randn(2, 5, 6), query_row_mask(TGT)
    blanked = ~mask.any(-1)  # (2, 5)

    assert_within(attention_steps(x, x, x, mask).weights[blanked], torch.full((5, 5), 0.2), 1e-7)
    weights = attention_steps(x, x, x, mask, blocked=-math.inf).weights
    assert torch.equal(weights.isnan().all(-1), blanked)


def test_blanked_rows_let_paddings_through_to_real_tokens_unless_they_stand_last() -> None:
    x = torch.randn(2, 5, 6)
    real = TGT != 0
    by_keys, by_rows = attention_steps(x, x, x, target_mask(TGT)), attention_steps(x, x, x, query_row_mask(TGT))
    assert torch.equal(by_keys.weights[real], by_rows.weights[real])

    padding_first = TGT.flip(-1)
    late = padding_first != 0
    assert target_mask(padding_first)[late][:, 0].sum() == 0
    assert query_row_mask(padding_first)[late][:, 0].all()


def test_lengths_two_and_four_of_five_are_a_small_and_a_large_block_of_ones() -> None:
    pairs = valid_pairs(torch.tensor([2, 4]), 5)
    assert pairs.tolist() == [
        [[1, 1, 0, 0, 0], [1, 1, 0, 0, 0], [0, 0, 0, 0, 0], [0, 0, 0, 0, 0], [0, 0, 0, 0, 0]],
        [[1, 1, 1, 1, 0], [1, 1, 1, 1, 0], [1, 1, 1, 1, 0], [1, 1, 1, 1, 0], [0, 0, 0, 0, 0]],
    ]


def test_valid_pairs_blanks_keys_as_the_padding_mask_and_queries_as_well() -> None:
    tokens = torch.tensor([[3, 4, 0, 0, 0], [2, 6, 7, 5, 0]])
    real = (tokens != 0).float()
    pairs = valid_pairs(torch.tensor([2, 4]), 5)
    assert torch.equal(pairs, padding_mask(tokens) * real.unsqueeze(-1))


def test_unsqueezed_at_axis_one_each_sequence_keeps_its_mask_and_at_axis_zero_each_head_gets_a_sequences() -> None:
    mask = torch.arange(5) <= torch.arange(4).view(4, 1, 1)  # (4, 1, 5): sequence b may see keys 0…b
    mask = mask.expand(4, 3, 5)
    by_sequence, by_head = per_head(mask, heads=4, axis=1), per_head(mask, heads=4, axis=0)

    assert by_sequence.shape == by_head.shape == (4, 4, 3, 5)
    for b in range(4):
        for head in range(4):
            assert torch.equal(by_sequence[b, head], mask[b])
            assert torch.equal(by_head[b, head], mask[head])


def test_unsqueezed_at_axis_zero_a_mask_fits_only_as_many_heads_as_sequences() -> None:
    with pytest.raises(ValueError, match=r"\(1, 2, 3, 5\) does not broadcast to \(2, 4, 3, 5\)"):
        per_head(torch.ones(2, 3, 5), heads=4, axis=0)


def test_the_notes_own_call_fits_by_its_eight_heads_and_blocks_every_key_of_both_sequences() -> None:
    scores, mask = torch.randn(2, 8, 4, 4), torch.zeros(8, 4, 4, dtype=torch.bool)
    assert mask.unsqueeze(0).expand_as(scores).shape == scores.shape
    with pytest.raises(RuntimeError):
        mask.unsqueeze(1).expand_as(scores)
    query, key, value = torch.randn(3, 2, 8, 4, 5)
    _, weights = attention(query, key, value, mask.unsqueeze(0))
    assert torch.equal(weights, torch.full((2, 8, 4, 4), 1 / 4))


def test_the_notes_cut_gives_late_queries_the_rows_of_early_ones_and_ours_refuses_the_mask() -> None:
    mask = subsequent_mask(6)
    cut = sliced(mask, 2, 6)
    assert cut.int().tolist() == [[[1, 0, 0, 0, 0, 0], [1, 1, 0, 0, 0, 0]]]
    late, keys = torch.randn(1, 2, 4), torch.randn(1, 6, 4)
    with pytest.raises(ValueError, match=r"mask of shape \(1, 6, 6\) does not broadcast to scores \(1, 2, 6\)"):
        attention(late, keys, keys, mask)
    with pytest.raises(ValueError, match=r"mask of shape \(1, 1, 6, 6\) does not broadcast to scores \(1, 2, 2, 6\)"):
        MultiHeadedAttention(2, 4)(late, keys, keys, mask)
    assert attention(late, keys, keys, mask[:, -2:])[1][0, 1].gt(0).all()


def test_a_batch_without_padding_cannot_tell_the_two_target_masks_apart() -> None:
    src, tgt = torch.randint(1, 50, (3, 7)), torch.randint(1, 50, (3, 6))
    src_mask, tgt_mask = create_masks(src, tgt)
    assert src_mask.all()
    assert torch.equal(tgt_mask[:, 0], query_row_mask(tgt))
    assert torch.equal(tgt_mask[:, 0], subsequent_mask(6).expand(3, 6, 6))
