"""The size of scores: sampled, and what it does to a softmax."""

import math

import pytest
import torch

from tests.core.build import assert_within
from transformer_core import attention_steps, entropy, softmax_jacobian
from transformer_core.experiments.score_size import drawn_embeddings, sampled_products, sharpness, size_statistics
from transformer_core.softmax import autograd_jacobian, jacobian_norm

SIZES = torch.tensor([1, 4, 9, 100])


def seeded(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def test_the_variance_of_a_product_is_d_k_and_after_the_scale_one() -> None:
    products = sampled_products(SIZES, 3000, 7, seeded(1)).products
    assert products.shape == (4, 3000, 7)
    plain = size_statistics(products)
    scaled = size_statistics(products / SIZES.sqrt().reshape(-1, 1, 1))
    assert plain.variance.tolist() == pytest.approx(SIZES.tolist(), rel=0.08)
    assert scaled.variance.tolist() == pytest.approx([1.0] * 4, rel=0.08)


def test_wider_vectors_sharpen_the_softmax_and_shrink_its_jacobian_unless_scaled() -> None:
    products = sampled_products(SIZES, 1000, 7, seeded(2)).products
    plain = size_statistics(products)
    assert (plain.entropy.diff() < 0).all()
    assert plain.jacobian_norm[-1] < 0.5 * plain.jacobian_norm[0]
    scaled = size_statistics(products / SIZES.sqrt().reshape(-1, 1, 1))
    assert scaled.entropy.max() - scaled.entropy.min() < 0.1


def test_a_smaller_size_uses_the_first_components_of_the_same_vectors() -> None:
    generator = seeded(3)
    q, k = torch.randn(5, 1, 6, generator=generator), torch.randn(5, 2, 6, generator=generator)
    products = sampled_products(torch.tensor([2, 6]), 5, 2, seeded(3)).products
    assert_within(products[0], (q * k)[..., :2].sum(-1), 1e-6)
    assert_within(products[1], (q * k).sum(-1), 1e-6)


def test_a_factor_of_zero_leaves_nothing_but_equal_probabilities() -> None:
    result = sharpness(torch.tensor([3.0, -1.0, 0.5]), torch.tensor([0.0, 2.0]))
    assert_within(result.probabilities[0], torch.full((3,), 1 / 3), 5e-7)  # each softmax rounds by some 1e-7
    assert result.entropy[0].item() == pytest.approx(math.log(3))
    assert_within(result.probabilities[1], torch.tensor([6.0, -2.0, 1.0]).softmax(-1), 5e-7)


def test_entropy_falls_and_the_jacobian_vanishes_as_the_factor_grows() -> None:
    result = sharpness(torch.tensor([0.6052, -0.2023, -1.3294, -0.2546, 1.5445]), torch.tensor([1.0, 10.0, 40.0]))
    assert (result.entropy.diff() < 0).all()
    assert (result.jacobian_norm.diff() < 0).all()
    assert result.jacobian_norm[-1] < 1e-6


def test_the_jacobian_norm_worked_by_hand() -> None:
    half = torch.tensor([0.5, 0.5])  # J = [[1/4, -1/4], [-1/4, 1/4]]
    assert jacobian_norm(half).item() == pytest.approx(0.5)
    assert jacobian_norm(torch.tensor([1.0, 0.0, 0.0])).item() == 0.0


def test_autograd_finds_the_same_jacobian() -> None:
    scores = torch.randn(6, dtype=torch.float64)
    assert_within(autograd_jacobian(scores), softmax_jacobian(scores.softmax(-1)), 1e-15)


TOKENS = torch.tensor([5, 2, 7, 1])


def test_the_notes_embeddings_see_only_themselves() -> None:
    x = drawn_embeddings(TOKENS, 9, 512, enlarge=True, generator=seeded(0))
    assert x.shape == (4, 512)
    assert torch.equal(attention_steps(x, x, x).weights, torch.eye(4))


@pytest.mark.parametrize("enlarge", [True, False])
def test_the_scale_alone_does_not_keep_embeddings_from_seeing_only_themselves(enlarge: bool) -> None:
    x = drawn_embeddings(TOKENS, 9, 512, enlarge=enlarge, generator=seeded(0))
    steps = attention_steps(x, x, x)
    grown = 512 if enlarge else 1
    assert steps.scores.diagonal().mean().item() / grown == pytest.approx(math.sqrt(512), rel=0.1)
    assert steps.weights.diagonal().min() > 0.9999
    assert entropy(steps.weights).max() < 1e-3


def test_the_same_token_has_the_same_embedding_and_a_small_width_leaves_something_for_the_others() -> None:
    x = drawn_embeddings(torch.tensor([3, 1, 3]), 4, 2, enlarge=False, generator=seeded(4))
    assert torch.equal(x[0], x[2])
    assert attention_steps(x, x, x).weights.min() > 1e-3
