"""The loss chapter: what it shows is what the core computes."""

import math

import pytest
import torch

from tests.app.conftest import Open
from transformer_core import LabelSmoothing, divergence_terms, noam_rate, smoothed_targets


def test_the_notes_picture_is_the_default(open_link: Open) -> None:
    app = open_link("loss", picture="targets.0.1")
    assert any("0.5 / (5 − 2)" in block.body and "0.1667" in block.body for block in app.get("html"))


def test_the_chosen_step_is_read_off_the_noam_curve(open_link: Open) -> None:
    app = open_link("loss", width="128", factor="2", warmup="100", at="50")
    expected = f"{noam_rate(50, 128, 2.0, 100):.4g}"
    assert any("rate(50)" in block.body and expected in block.body for block in app.get("html"))


def test_the_peak_of_the_noam_rate_stands_at_the_end_of_the_warm_up() -> None:
    assert noam_rate(400, 512, 1.0, 400) == pytest.approx((512 * 400) ** -0.5)
    assert max(range(1, 2000), key=lambda step: noam_rate(step, 512, 1.0, 400)) == 400


def test_answers_that_are_no_tokens_get_a_sentence_and_the_rest_goes_on(open_link: Open) -> None:
    app = open_link("loss", targets="2 9")
    assert not app.exception
    assert "9" in app.warning[0].value
    assert len(app.header) == 2


def test_divergence_terms_sum_to_the_loss() -> None:
    log_probs = torch.randn(3, 7, generator=torch.Generator().manual_seed(5)).log_softmax(-1)
    target = torch.tensor([4, 0, 6])
    terms = divergence_terms(log_probs, smoothed_targets(target, 7, 0, 0.3))
    torch.testing.assert_close(terms.sum(), LabelSmoothing(7, 0, 0.3)(log_probs, target))
    assert terms[1].eq(0).all()  # padding costs nothing


def test_one_hot_targets_make_the_divergence_a_cross_entropy() -> None:
    log_probs = torch.tensor([[0.1, 0.2, 0.7]]).log()
    terms = divergence_terms(log_probs, smoothed_targets(torch.tensor([2]), 3, 0, 0.0))
    assert float(terms.sum()) == pytest.approx(-math.log(0.7))
