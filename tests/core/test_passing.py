"""What residual sums and the scale of the scores do for gradients, before any training."""

from itertools import pairwise

import pytest
import torch

from transformer_core import MultiHeadedAttention, make_model
from transformer_core.experiments.passing import a_layer, held_by, layer_gradients, reach, without_sums


@pytest.mark.parametrize("seed", range(3))
def test_without_its_sums_a_deep_decoder_hands_less_on_with_every_layer_and_with_them_it_does_not(seed: int) -> None:
    kept, lost = (layer_gradients(6, "decoder", sums=sums, seed=seed).all for sums in (True, False))
    assert all(before < after / 2 for before, after in pairwise(lost))
    assert lost[0] < lost[-1] / 500
    assert 0.5 < a_layer(kept) < 2


@pytest.mark.parametrize("seed", range(3))
def test_without_its_sums_an_encoder_forgets_what_tells_words_apart(seed: int) -> None:
    kept, lost = (layer_gradients(6, "encoder", sums=sums, seed=seed) for sums in (True, False))
    assert min(lost.all) > max(lost.all) / 20
    assert max(lost.asking[3:]) < 1e-4 * min(kept.asking)


def test_only_the_stack_that_is_named_loses_its_sums() -> None:
    model = make_model(7, 9, N=2, d_model=12, d_ff=10, h=3)
    assert set(without_sums(model, "decoder")) == {
        f"decoder.layers.{n}.sublayer.{k}.skip" for n in range(2) for k in range(3)
    }
    assert set(without_sums(model, "encoder")) == {
        f"encoder.layers.{n}.sublayer.{k}.skip" for n in range(2) for k in range(2)
    }


def test_the_factor_of_a_layer_is_a_geometric_mean() -> None:
    assert a_layer([1.0, 5.0, 100.0]) == pytest.approx(0.1)
    assert a_layer([8.0, 2.0, 4.0, 1.0]) == pytest.approx(2.0)


def test_most_of_a_sum_of_squares_by_hand() -> None:
    assert held_by(torch.tensor([1.0, 3.0, 1.0, 1.0]), 0.25) == pytest.approx(9 / 12)
    assert held_by(torch.ones(10), 0.5) == pytest.approx(0.5)


@pytest.mark.parametrize("seed", range(3))
def test_without_the_scale_few_queries_get_nearly_all(seed: int) -> None:
    divided, plain = (reach(64, scale=scale, seed=seed) for scale in (True, False))
    assert held_by(divided.queries, 0.5) < 0.9
    assert held_by(plain.queries, 0.5) > 0.99
    assert plain.jacobians.median() < divided.jacobians.median() / 2
    assert plain.to_query > divided.to_query
    assert plain.to_key > divided.to_key


def test_it_is_the_gradient_that_autograd_finds() -> None:
    found = reach(16, scale=True, seed=3)
    generator = torch.Generator().manual_seed(3)
    head = MultiHeadedAttention(1, 16, 0.0).double()
    for linear in head.linears.children():
        torch.nn.init.xavier_uniform_(linear.get_parameter("weight"), generator=generator)
        torch.nn.init.zeros_(linear.get_parameter("bias"))
    x, gradient = (torch.randn(20, 10, 16, dtype=torch.float64, generator=generator) for _ in range(2))
    head(x, x, x).backward(gradient)
    to_query, to_key = (head.linears.get_submodule(n).get_parameter("weight").grad for n in "01")
    assert to_query is not None
    assert to_key is not None
    assert found.to_query == pytest.approx(float(to_query.norm()), rel=1e-9)
    assert found.to_key == pytest.approx(float(to_key.norm()), rel=1e-9)
