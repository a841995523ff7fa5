"""Dropout as a sampler."""

import pytest
import torch

from transformer_core.dropout import dropout_steps


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


def test_it_follows_the_rule_of_torch() -> None:
    ours, theirs = draw(0.2, 2), torch.nn.Dropout(0.2)(torch.ones(40, 50))
    assert ours.max() == theirs.max()


@pytest.mark.parametrize("p", [-0.1, 1.0, float("nan")])
def test_an_impossible_probability_is_refused(p: float) -> None:
    with pytest.raises(ValueError, match="0 to below 1"):
        draw(p, 0)
