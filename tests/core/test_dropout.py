"""Dropout as a sampler."""

import pytest
import torch

from transformer_core.dropout import Dropout, drop, dropout_steps


def draw(p: float, seed: int, shape: tuple[int, ...] = (40, 50)) -> torch.Tensor:
    return dropout_steps(torch.ones(shape), p, torch.Generator().manual_seed(seed)).output


def test_the_same_seed_draws_the_same_cells() -> None:
    assert torch.equal(draw(0.3, 5), draw(0.3, 5))
    assert not torch.equal(draw(0.3, 5), draw(0.3, 6))


def test_what_is_kept_is_multiplied_so_that_the_mean_stays() -> None:
    output = draw(0.25, 1, (400, 500))
    assert output.unique().tolist() == pytest.approx([0, 4 / 3])
    assert output.mean().item() == pytest.approx(1, abs=0.01)


def test_a_probability_of_zero_changes_nothing() -> None:
    assert torch.equal(draw(0.0, 3), torch.ones(40, 50))


@pytest.mark.parametrize("p", [0.1, 0.37, 0.9])
def test_a_model_drops_what_is_shown_to_the_bit(p: float) -> None:
    x = torch.randn(40, 50)
    given = x.clone().requires_grad_()
    torch.manual_seed(4)
    output = Dropout(p)(given)
    output.backward(x)
    torch.manual_seed(4)
    keep = torch.empty_like(x).bernoulli_(1 - p)
    assert torch.equal(output, drop(x, keep, p))
    assert given.grad is not None
    assert torch.equal(given.grad, drop(x, keep, p))


def test_where_nothing_drops_the_vectors_are_the_very_same() -> None:
    x = torch.randn(4, 5)
    assert Dropout(0.0)(x) is x
    assert Dropout(0.5).eval()(x) is x
    assert not Dropout(1.0)(x).any()


def test_a_draw_that_is_shown_follows_the_same_rule() -> None:
    torch.manual_seed(0)
    assert draw(0.2, 2).unique().tolist() == Dropout(0.2)(torch.ones(40, 50)).unique().tolist()


@pytest.mark.parametrize("p", [-0.1, 1.0, float("nan")])
def test_an_impossible_probability_is_refused(p: float) -> None:
    with pytest.raises(ValueError, match="0 to below 1"):
        draw(p, 0)
