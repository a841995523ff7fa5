"""Layer normalisation in the notes' formula, beside PyTorch's."""

import math

import torch
from torch import nn

from tests.core.build import assert_within, unsettle
from transformer_core import LayerNorm, layer_norm_steps
from transformer_core.verify import parity


def test_four_numbers_worked_by_hand() -> None:
    # Mean 5; squared distances 9, 1, 1, 9 sum to 20; the unbiased variance is 20 / 3.
    x = torch.tensor([[2.0, 4.0, 6.0, 8.0]])
    steps = layer_norm_steps(
        x, a_2=torch.tensor([1.0, 1.0, 1.0, 10.0]), b_2=torch.tensor([0.0, 0.0, 7.0, 0.0]), eps=0.0
    )
    std = math.sqrt(20 / 3)

    assert torch.equal(steps.mean, torch.tensor([[5.0]]))
    assert_within(steps.std, torch.tensor([[std]]), 1e-6)
    assert_within(steps.normalised, torch.tensor([[-3, -1, 1, 3]]) / std, 1e-6)
    assert_within(steps.output, torch.tensor([[-3 / std, -1 / std, 1 / std + 7, 30 / std]]), 1e-5)


def test_eps_is_added_to_the_spread_and_not_to_the_variance() -> None:
    x = torch.tensor([[-1.0, 0.0, 1.0]])  # unbiased std 1
    steps = layer_norm_steps(x, torch.ones(3), torch.zeros(3), eps=1.0)
    assert_within(steps.output, x / 2, 1e-6)


def test_torch_gives_the_same_but_for_the_factor_of_n_minus_one_over_n() -> None:
    x = torch.randn(3, 5, 24, dtype=torch.float64)
    assert parity.layer_norm() < 1e-12
    assert (LayerNorm(24).double()(x) - nn.LayerNorm(24).double()(x)).abs().max() > 0.02


def test_every_vector_gets_mean_zero_and_spread_one() -> None:
    out = LayerNorm(24)(torch.randn(3, 5, 24) * 7 + 100)
    assert_within(out.mean(-1), torch.zeros(3, 5), 1e-5)
    assert_within(out.std(-1), torch.ones(3, 5), 1e-5)


def test_shifting_and_stretching_the_input_changes_nothing() -> None:
    norm = LayerNorm(24).double()
    unsettle(norm)
    x = torch.randn(3, 5, 24, dtype=torch.float64)
    assert_within(norm(1000 * x + 3), norm(x), 1e-5)


def test_each_position_is_normalised_by_itself() -> None:
    norm = LayerNorm(24)
    x = torch.randn(3, 5, 24)
    before = norm(x)
    x[:, 2] = torch.randn(3, 24)
    assert torch.equal(norm(x)[:, [0, 1, 3, 4]], before[:, [0, 1, 3, 4]])


def test_a_constant_vector_becomes_the_shift_and_has_a_finite_gradient() -> None:
    norm = LayerNorm(6)
    unsettle(norm)
    x = torch.full((2, 6), 3.0, requires_grad=True)
    out = norm(x)
    out.sum().backward()

    assert torch.equal(out, norm.b_2.expand(2, 6))
    assert x.grad is not None
    assert x.grad.isfinite().all()
