"""Softmax, its Jacobian and its entropy. The five scores and their printed results are those of the lecture notes."""

import math
import sys
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode

from tests.core.build import assert_within
from transformer_core import attention_steps, entropy, softmax_jacobian, softmax_steps
from transformer_core.softmax import FEW, log_softmax

SCORES = torch.tensor([0.6052, -0.2023, -1.3294, -0.2546, 1.5445])


def probabilities(scores: Tensor) -> Tensor:
    return softmax_steps(scores).probabilities


def test_the_steps_of_a_softmax_worked_by_hand() -> None:
    steps = softmax_steps(torch.tensor([[math.log(6), math.log(2), math.log(4)]]))

    assert steps.largest.item() == pytest.approx(math.log(6))
    assert_within(steps.exponentials, torch.tensor([[1, 1 / 3, 2 / 3]]), 1e-6)
    assert steps.total.item() == pytest.approx(2)
    assert_within(steps.probabilities, torch.tensor([[1 / 2, 1 / 6, 1 / 3]]), 1e-6)


def test_the_steps_lead_to_the_probabilities() -> None:
    steps = softmax_steps(30 * torch.randn(4, 3, 7))
    assert_within(steps.exponentials / steps.total, steps.probabilities, 1e-6)
    assert steps.exponentials.amax(-1).eq(1).all()


# The notes print four decimals of scores they know more precisely, so their last digit may differ by one.
@pytest.mark.parametrize(
    ("scale", "printed"),
    [
        (1.0, [0.2187, 0.0976, 0.0316, 0.0926, 0.5595]),
        (0.1, [0.2100, 0.1937, 0.1730, 0.1927, 0.2306]),
    ],
)
def test_five_scores_have_the_printed_probabilities(scale: float, printed: list[float]) -> None:
    assert_within(probabilities(SCORES * scale), torch.tensor(printed), 1e-4)


def test_ten_times_the_scores_leave_almost_everything_to_one() -> None:
    printed = torch.tensor([8.3344e-05, 2.5940e-08, 3.3038e-13, 1.5366e-08, 9.9992e-01])

    # 10 × the half digit the printed scores lack is 0.0005, and the exponential turns it into a relative error.
    torch.testing.assert_close(probabilities(SCORES * 10), printed, rtol=1e-3, atol=0.0)


def test_the_jacobian_of_a_tenth_of_the_scores_is_the_printed_one() -> None:
    jacobian = softmax_jacobian(probabilities(SCORES * 0.1))

    assert_within(jacobian.diagonal(), torch.tensor([0.1659, 0.1562, 0.1431, 0.1555, 0.1774]), 1e-4)
    assert_within(jacobian[0], torch.tensor([0.1659, -0.0407, -0.0363, -0.0405, -0.0484]), 1e-4)
    assert_within(jacobian[3], torch.tensor([-0.0405, -0.0373, -0.0333, 0.1555, -0.0444]), 1e-4)


def test_ten_times_the_scores_leave_no_gradient() -> None:
    jacobian = softmax_jacobian(probabilities(SCORES.double() * 10))

    assert jacobian.abs().max().item() == pytest.approx(8.3440e-05, rel=2e-3)
    assert jacobian.abs().max() == jacobian[4, 4]
    assert jacobian[0, 1].item() == pytest.approx(-2.1620e-12, rel=2e-3)


@pytest.mark.parametrize("scale", [0.1, 1.0, 10.0])
def test_the_jacobian_is_the_one_autograd_finds(scale: float) -> None:
    scores = torch.randn(5, dtype=torch.float64) * scale
    by_autograd = torch.autograd.functional.jacobian(lambda x: x.softmax(-1), scores)

    assert isinstance(by_autograd, Tensor)
    assert_within(softmax_jacobian(probabilities(scores)), by_autograd, 1e-15)


def test_the_jacobian_is_symmetric_and_its_rows_sum_to_zero() -> None:
    jacobian = softmax_jacobian(probabilities(torch.randn(2, 3, 5, dtype=torch.float64)))

    assert jacobian.shape == (2, 3, 5, 5)
    assert torch.equal(jacobian, jacobian.mT)
    assert_within(jacobian.sum(-1), torch.zeros(2, 3, 5, dtype=torch.float64), 1e-15)


def test_adding_a_constant_to_all_scores_changes_nothing() -> None:
    assert_within(probabilities(SCORES + 100), probabilities(SCORES), 1e-5)


def test_huge_scores_do_not_overflow() -> None:
    assert torch.equal(probabilities(torch.tensor([1e30, 0.0, -1e30])), torch.tensor([1.0, 0.0, 0.0]))


def test_the_steps_agree_with_torch_on_every_axis_before_the_last() -> None:
    scores = torch.randn(2, 3, 5)
    assert_within(probabilities(scores), scores.softmax(-1), 1e-6)


def test_a_row_is_the_same_alone_and_among_many() -> None:
    row = torch.randn(5, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    for rows in (1, FEW // 5, FEW // 5 + 1, 10 * FEW):
        assert_within(probabilities(row.expand(rows, 5)), row.softmax(-1).expand(rows, 5), 1e-14)
        assert_within(log_softmax(row.expand(rows, 5)), row.log_softmax(-1).expand(rows, 5), 1e-14)


def test_a_row_of_minus_infinity_is_nan_as_in_torch() -> None:
    scores = torch.tensor([[0.0, 1.0], [-math.inf, -math.inf]])
    assert torch.equal(probabilities(scores).isnan(), torch.tensor([[False, False], [True, True]]))


def test_attention_takes_the_softmax_of_its_scores_with_the_blocked_ones_overwritten() -> None:
    query, key = torch.randn(2, 3, 6), torch.randn(2, 5, 6)
    mask = torch.rand(2, 3, 5) > 0.5
    mask[0, 1] = False
    for blocked in (-math.inf, -1e9):
        steps = attention_steps(query, key, key, mask, blocked=blocked)
        expected = steps.scores.where(mask, torch.tensor(blocked))
        assert torch.equal(steps.masked, expected)
        by_hand = softmax_steps(expected)
        torch.testing.assert_close(
            steps.weights, by_hand.exponentials / by_hand.total, rtol=0, atol=1e-6, equal_nan=True
        )


def test_the_entropy_of_equal_weights_is_the_logarithm_of_their_number() -> None:
    assert entropy(torch.full((2, 8), 1 / 8)).tolist() == pytest.approx([math.log(8)] * 2)


def test_the_entropy_of_certainty_is_zero() -> None:
    assert entropy(torch.tensor([0.0, 1.0, 0.0])).item() == 0.0


def test_the_entropy_of_a_half_and_two_quarters_is_one_and_a_half_bits() -> None:
    assert entropy(torch.tensor([0.5, 0.25, 0.25])).item() == pytest.approx(1.5 * math.log(2))


def test_the_code_that_is_shown_of_softmax_computes_it() -> None:
    """Not a function that it calls, and whose code nobody sees."""
    called: list[str] = []

    class Told(TorchFunctionMode):
        def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            called.append(f"{func.__name__} in {sys._getframe(1).f_code.co_name}")
            return func(*args, **(kwargs or {}))

    with Told():
        softmax_steps(torch.randn(3, 4))
    assert "softmax in softmax_steps" in called
