"""Dropout as a sampler."""

import pytest
import torch

from transformer_core.dropout import Dropout, dropout_steps


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


@pytest.mark.parametrize("p", [0.0, 0.1, 0.37, 0.9, 1.0])
@pytest.mark.parametrize("training", [True, False])
def test_a_models_dropout_is_pytorchs_to_the_bit(p: float, training: bool) -> None:
    x, found = torch.randn(40, 50), []
    for module in (Dropout(p), torch.nn.Dropout(p)):
        torch.manual_seed(4)
        given = x.clone().requires_grad_()
        output = module.train(training)(given)
        output.backward(x)
        assert given.grad is not None
        found.append((output.detach(), given.grad, torch.get_rng_state()))
    assert all(torch.equal(ours, theirs) for ours, theirs in zip(*found, strict=True))


def test_a_draw_that_is_shown_follows_the_same_rule() -> None:
    torch.manual_seed(0)
    assert draw(0.2, 2).unique().tolist() == Dropout(0.2)(torch.ones(40, 50)).unique().tolist()


@pytest.mark.parametrize("p", [-0.1, 1.0, float("nan")])
def test_an_impossible_probability_is_refused(p: float) -> None:
    with pytest.raises(ValueError, match="0 to below 1"):
        draw(p, 0)
