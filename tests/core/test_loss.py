"""Label smoothing, its Kullback-Leibler divergence, and the gradient that starts the way back."""

import math

import pytest
import torch
from torch import Tensor, nn

from tests.core.build import TGT_VOCAB, assert_within, log_probs, small_batch, small_model
from transformer_core import LabelSmoothing, SimpleLossCompute, divergence_terms, make_model, smoothed_targets


def test_the_picture_of_the_notes() -> None:
    criterion = LabelSmoothing(size=5, padding_idx=0, smoothing=0.5)
    criterion(torch.tensor([[0, 0.2, 0.7, 0.1, 0]] * 3), torch.tensor([2, 1, 0]))

    sixth = 1 / 6
    assert criterion.true_dist is not None
    assert_within(
        criterion.true_dist, torch.tensor([[0, sixth, 0.5, sixth, sixth], [0, 0.5, sixth, sixth, sixth], [0] * 5]), 1e-7
    )


def test_another_padding_token_leaves_its_own_column_empty() -> None:
    targets = smoothed_targets(torch.tensor([2, 3, 0]), size=5, padding_idx=3, smoothing=0.3)
    assert_within(targets, torch.tensor([[0.1, 0.1, 0.7, 0, 0.1], [0] * 5, [0.7, 0.1, 0.1, 0, 0.1]]), 1e-7)


def test_every_row_sums_to_one_but_for_paddings_which_sum_to_zero() -> None:
    target = torch.tensor([4, 0, 6, 1, 0, 1])
    sums = smoothed_targets(target, size=7, padding_idx=0, smoothing=0.1).sum(-1)
    assert_within(sums, (target != 0).float(), 1e-6)


def test_without_smoothing_the_loss_is_the_cross_entropy_that_ignores_padding() -> None:
    logits, target = torch.randn(6, 7), torch.tensor([4, 0, 6, 1, 0, 1])
    loss = LabelSmoothing(7, padding_idx=0, smoothing=0.0)(logits.log_softmax(-1), target)
    assert_within(loss, nn.functional.cross_entropy(logits, target, ignore_index=0, reduction="sum"), 1e-5)


def test_a_divergence_worked_by_hand() -> None:
    # Wanted (0, ½, ¼, ¼), given (⅛, ¼, ½, ⅛): ½ ln 2 + ¼ ln ½ + ¼ ln 2 = ½ ln 2.
    given = torch.tensor([[1 / 8, 1 / 4, 1 / 2, 1 / 8]]).log()
    criterion = LabelSmoothing(4, padding_idx=0, smoothing=0.5)
    assert criterion(given, torch.tensor([1])).item() == pytest.approx(0.5 * math.log(2))
    assert criterion.true_dist is not None
    terms = divergence_terms(given, criterion.true_dist)
    assert_within(terms, torch.tensor([[0, 0.5, -0.25, 0.25]]) * math.log(2), 1e-6)


def test_the_terms_of_the_divergence_sum_to_it() -> None:
    given, target = torch.randn(6, 7).log_softmax(-1), torch.tensor([4, 0, 6, 1, 0, 1])
    criterion = LabelSmoothing(7, padding_idx=0, smoothing=0.1)
    loss = criterion(given, target)
    assert criterion.true_dist is not None
    terms = divergence_terms(given, criterion.true_dist)
    assert terms.shape == (6, 7)
    assert_within(terms.sum(), loss, 1e-5)
    assert terms[target == 0].count_nonzero() == 0


def test_the_divergence_is_zero_only_where_the_model_says_what_is_wanted() -> None:
    target = torch.tensor([3, 1])
    criterion = LabelSmoothing(5, padding_idx=0, smoothing=0.2)
    wanted = smoothed_targets(target, 5, 0, 0.2)
    assert criterion((wanted + 1e-30).log(), target).item() == pytest.approx(0, abs=1e-6)
    assert criterion(torch.randn(2, 5).log_softmax(-1), target) > 0.01


def test_too_much_confidence_is_punished() -> None:
    def loss_of_giving_the_answer(share: float) -> float:
        rest = (1 - share) / 4
        given = torch.tensor([[rest, share, rest, rest, rest]]).log()
        return float(LabelSmoothing(5, padding_idx=0, smoothing=0.1)(given, torch.tensor([1])))

    assert loss_of_giving_the_answer(0.9) < loss_of_giving_the_answer(0.9999)


def test_the_gradient_at_the_logits_is_given_minus_wanted_and_zero_on_paddings() -> None:
    logits = torch.randn(4, 6, requires_grad=True)
    target = torch.tensor([3, 0, 5, 2])
    LabelSmoothing(6, padding_idx=0, smoothing=0.1)(logits.log_softmax(-1), target).backward()

    expected = (logits.softmax(-1) - smoothed_targets(target, 6, 0, 0.1)) * (target != 0).unsqueeze(1)
    assert logits.grad is not None
    assert_within(logits.grad, expected.detach(), 1e-6)


@pytest.mark.parametrize("norm_first", [True, False], ids=["pre-norm", "post-norm"])
def test_the_gradient_of_the_loss_is_the_slope_that_finite_differences_find(norm_first: bool) -> None:
    model = small_model(norm_first).double()
    batch = small_batch()
    criterion = LabelSmoothing(TGT_VOCAB, padding_idx=0, smoothing=0.1)

    def loss() -> Tensor:
        value: Tensor = criterion(log_probs(model, batch).flatten(0, 1), batch.tgt_y.flatten()) / batch.ntokens
        return value

    loss().backward()
    step = 1e-6
    for name, parameter in model.named_parameters():
        gradient = parameter.grad
        assert gradient is not None, name
        place = int(gradient.abs().argmax())
        with torch.no_grad():
            entry = parameter.view(-1)[place : place + 1]
            entry += step
            above = loss()
            entry -= 2 * step
            below = loss()
            entry += step
        slope = float((above - below) / (2 * step))
        assert gradient.view(-1)[place].item() == pytest.approx(slope, rel=1e-5, abs=1e-8), name


def test_an_untrained_model_starts_near_the_logarithm_of_the_vocabulary() -> None:
    # Guessing among V tokens costs ln V; the notes print 9.33 for V = 10000, whose logarithm is 9.21.
    vocab = 1000
    model = make_model(vocab, vocab, N=1, d_model=32, d_ff=40, h=4, norm_first=False, max_len=20)
    tokens = torch.randint(1, vocab, (16, 20))
    out = model.generator(model(tokens, tokens, None, None))
    loss = nn.functional.cross_entropy(out.flatten(0, 1), torch.randint(1, vocab, (320,)))
    assert math.log(vocab) == pytest.approx(loss.item(), rel=0.1)


def test_the_loss_of_a_batch_is_summed_over_its_tokens() -> None:
    model, batch = small_model(), small_batch()
    compute = SimpleLossCompute(model.generator, LabelSmoothing(TGT_VOCAB, 0, 0.1))
    out = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
    expected = LabelSmoothing(TGT_VOCAB, 0, 0.1)(model.generator(out).flatten(0, 1), batch.tgt_y.flatten())

    assert compute(out, batch.tgt_y, batch.ntokens) == pytest.approx(expected.item(), rel=1e-6)
    assert compute(out, batch.tgt_y, 1) == pytest.approx(expected.item(), rel=1e-6)
