"""The two experiments: who can see the future, and who can see a padding."""

import pytest
import torch

from tests.core.build import D_MODEL, SRC_VOCAB, TGT_VOCAB, S, T, assert_within, padded, small_model
from transformer_core import subsequent_mask
from transformer_core.probes import causality_probe, padding_probe


def test_a_changed_token_moves_its_own_output_and_the_later_ones_only() -> None:
    model, src, tgt = small_model(), padded([S], S, SRC_VOCAB), padded([T], T, TGT_VOCAB)
    probe = causality_probe(model, src, tgt)

    assert probe.difference.shape == (T, T)
    reached = ~torch.ones(T, T, dtype=torch.bool).triu(1)  # row i, column j: j ≤ i
    assert torch.equal(probe.difference > 0, reached)
    assert (probe.replaced != tgt[0]).all()
    assert probe.replaced.min() > 0
    assert probe.replaced.max() < TGT_VOCAB


def test_column_j_of_the_probe_is_a_run_with_token_j_replaced() -> None:
    model, src, tgt = small_model(), padded([S], S, SRC_VOCAB), padded([T], T, TGT_VOCAB)
    probe = causality_probe(model, src, tgt)
    changed = tgt.clone()
    changed[0, 3] = probe.replaced[3]

    before = model(src, tgt, None, subsequent_mask(T)).detach()
    after = model(src, changed, None, subsequent_mask(T)).detach()

    assert probe.after.shape == (T, T, D_MODEL)
    assert_within(probe.before, before[0], 1e-6)
    assert_within(probe.after[3], after[0], 1e-6)
    assert_within(probe.difference[:, 3], (after - before)[0].abs().amax(-1), 2e-6)


def test_without_the_look_ahead_mask_every_output_moves() -> None:
    model, src, tgt = small_model(), padded([S], S, SRC_VOCAB), padded([T], T, TGT_VOCAB)
    assert (causality_probe(model, src, tgt, look_ahead=False).difference > 0).all()


def test_paddings_leave_the_real_tokens_alone_under_the_mask_and_move_them_without() -> None:
    model, src = small_model(), padded([S], S, SRC_VOCAB)
    masked, bare = padding_probe(model, src, most=4), padding_probe(model, src, most=4, masked=False)

    assert masked.difference.shape == (S, 4)
    assert masked.after.shape == (4, S, D_MODEL)
    assert masked.difference.max() < 1e-6
    assert (bare.difference > 1e-3).all()
    assert_within(masked.before, model.encode(src, None)[0].detach(), 1e-6)


def test_a_padding_probe_needs_a_padding() -> None:
    with pytest.raises(ValueError, match="at least one padding"):
        padding_probe(small_model(), padded([S], S, SRC_VOCAB), most=0)
