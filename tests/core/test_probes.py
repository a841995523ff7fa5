"""The experiments of the chapter on masks, on a small model of the paper's two forms."""

import math

import pytest
import torch
from torch.nn.functional import pad

from tests.core.build import ROUNDING, TGT_VOCAB, padded, small_model
from transformer_core import LabelSmoothing, query_row_mask, target_mask
from transformer_core.experiments.probes import causality_probe, padding_probe, prefix_probe
from transformer_core.masks import per_head
from transformer_core.softmax import masked_softmax

SRC = torch.tensor([[1, 7, 3, 12, 5, 9, 2]])  # (1, 7)
TGT = torch.tensor([[1, 4, 10, 6, 8]])  # (1, 5)
BOTH_FORMS = pytest.mark.parametrize("norm_first", [True, False])


@BOTH_FORMS
def test_a_changed_token_leaves_the_outputs_before_it_as_they_were_to_the_last_bit(norm_first: bool) -> None:
    probe = causality_probe(small_model(norm_first), SRC, TGT)
    assert probe.difference.shape == (5, 5)
    assert probe.difference.triu(1).count_nonzero() == 0
    assert (probe.difference.diagonal() > 0.01).all()
    assert (probe.difference[-1] > 0).all()  # the last output sees every change


@BOTH_FORMS
def test_without_the_look_ahead_mask_every_output_sees_every_change(norm_first: bool) -> None:
    probe = causality_probe(small_model(norm_first), SRC, TGT, look_ahead=False)
    assert (probe.difference > 0).all()


def test_the_probe_replaces_each_token_by_another_one_that_is_no_padding() -> None:
    probe = causality_probe(small_model(), SRC, TGT)
    assert probe.replaced.tolist() == [2, 5, 1, 7, 9]  # the highest token, 10, is followed by 1
    assert TGT_VOCAB == 11


def test_entry_i_j_of_the_probe_is_the_largest_change_of_output_i_after_token_j_changed() -> None:
    model = small_model()
    probe = causality_probe(model, SRC, TGT)
    changed = TGT.clone()
    changed[0, 2] = 1
    mask, src_mask = target_mask(TGT), torch.ones(1, 1, 7, dtype=torch.bool)
    memory = model.encode(SRC, src_mask)
    change = model.decode(memory, src_mask, changed, mask) - model.decode(memory, src_mask, TGT, mask)
    torch.testing.assert_close(probe.difference[:, 2], change[0].abs().amax(-1), rtol=0.0, atol=1e-5)


@BOTH_FORMS
def test_with_the_mask_training_computes_what_writing_does_and_without_it_it_does_not(norm_first: bool) -> None:
    model = small_model(norm_first)
    probe = prefix_probe(model, SRC, TGT)
    assert probe.difference.shape == (5,)
    assert probe.difference.max() < ROUNDING * probe.alone.abs().max()
    lifted = prefix_probe(model, SRC, TGT, look_ahead=False).difference
    assert (lifted[:-1] > 0.01).all()
    assert lifted[-1] < ROUNDING * probe.alone.abs().max(), "nothing comes after the last token"


@BOTH_FORMS
def test_with_the_mask_appended_paddings_change_a_real_token_by_rounding_only(norm_first: bool) -> None:
    probe = padding_probe(small_model(norm_first), SRC, 4)
    assert probe.difference.shape == (7, 4)
    assert probe.after.shape == (4, 7, 24)
    assert probe.difference.max() < ROUNDING * probe.after.abs().max()


@BOTH_FORMS
def test_without_the_mask_every_padding_moves_every_token(norm_first: bool) -> None:
    probe = padding_probe(small_model(norm_first), SRC, 4, masked=False)
    assert (probe.difference > 1e-3).all()


def test_a_probe_without_paddings_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one padding"):
        padding_probe(small_model(), SRC, 0)


def test_one_row_of_nan_turns_every_gradient_of_the_model_into_nan() -> None:
    model = small_model()
    tgt, answers = pad(TGT, (0, 2)), pad(TGT, (1, 1))  # (1, 7) each
    blank = query_row_mask(tgt)  # the two paddings may attend to nothing
    scores = torch.zeros(1, 7, 7)
    assert masked_softmax(scores, blank, -math.inf).weights.isnan().any(-1).tolist() == [[False] * 5 + [True] * 2]

    embedded = model.tgt_embed(tgt)
    poisoned = embedded + torch.where(blank.any(-1, keepdim=True), 0.0, math.nan)  # what such rows hand on
    out = model.decoder(poisoned, model.encode(SRC, None), None, target_mask(tgt))
    criterion = LabelSmoothing(TGT_VOCAB, 0, 0.0)
    criterion(model.generator(out)[0], answers[0]).backward()
    assert all(p.grad.isnan().any() for p in model.decoder.parameters() if p.grad is not None)


def test_axis_one_gives_every_head_its_own_sequences_mask() -> None:
    mask = (padded([4, 2, 3], 4, 9) != 0).unsqueeze(1).expand(3, 4, 4)
    given = per_head(mask, 2, axis=1)
    assert given.shape == (3, 2, 4, 4)
    assert all(torch.equal(given[b, h], mask[b]) for b in range(3) for h in range(2))


def test_axis_zero_gives_head_h_the_mask_of_sequence_h() -> None:
    mask = (padded([4, 2, 3], 4, 9) != 0).unsqueeze(1).expand(3, 4, 4)
    given = per_head(mask, 3, axis=0)
    assert all(torch.equal(given[b, h], mask[h]) for b in range(3) for h in range(3))


@pytest.mark.parametrize("heads", [1, 2, 4])
def test_axis_zero_is_refused_unless_there_are_as_many_heads_as_sequences(heads: int) -> None:
    with pytest.raises(ValueError, match=r"\(1, 3, 4, 4\) does not broadcast"):
        per_head(torch.ones(3, 4, 4, dtype=torch.bool), heads, axis=0)


def test_with_one_head_plain_masked_fill_stretches_the_scores_instead_of_refusing() -> None:
    mask = torch.ones(3, 4, 4, dtype=torch.bool).unsqueeze(0)
    assert torch.zeros(3, 1, 4, 4).masked_fill(mask == 0, -1e9).shape == (3, 3, 4, 4)


def test_the_notes_block_has_the_printed_weights_and_blank_rows() -> None:
    scores = torch.tensor([[1.9743, -0.65912, 2.4752], [-1.5183, 0.60389, 0.0262], [-0.5044, 1.9787, 1.0392]])
    block = torch.tensor([[1, 1, 0], [1, 1, 0], [0, 0, 0]])
    weights = masked_softmax(scores, block, -math.inf).weights
    printed = torch.tensor([[0.9330, 0.0670], [0.1070, 0.8930]])
    torch.testing.assert_close(weights[:2, :2], printed, rtol=0.0, atol=5e-5)
    assert weights[2].isnan().all()
    for finite in (-1e9, torch.finfo(torch.float32).min):
        assert masked_softmax(scores, block, finite).weights[2].tolist() == pytest.approx([1 / 3] * 3)
