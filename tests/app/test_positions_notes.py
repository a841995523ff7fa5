"""The positions chapter on two of the notes: the code in a frozen `nn.Embedding`, and what makes it unique."""

import math

import numpy as np
import pytest
import torch

from tests.app.boards import matrices, written
from tests.app.conftest import Open
from tests.app.position_code import code
from ui.chapters.positions.forms import frozen_embedding, refusal
from ui.text import LANGUAGES, Words


def test_the_frozen_embedding_is_the_code_and_is_not_trained(open_link: Open) -> None:
    shown = matrices(open_link("positions", open="frozen"), "positions.frozen")
    assert shown["rows"].shape == (5, 16)
    np.testing.assert_allclose(shown["rows"], code(5, 16), atol=1e-6)
    np.testing.assert_array_equal(shown["gap"], shown["rows"] - shown["ours"])
    assert np.abs(shown["gap"]).max() < 1e-6
    embedding = frozen_embedding(7, 6)
    torch.testing.assert_close(embedding(torch.tensor([[6, 0]]))[0, 0].double(), torch.tensor(code(7, 6)[6]))
    assert not any(weight.requires_grad for weight in embedding.parameters())
    assert "out of range" in refusal(embedding)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_code_with_orthogonal_columns_may_repeat_and_ours_has_none_and_does_not(open_link: Open, lang: str) -> None:
    app = open_link("positions", open="products", product_length="24", product_d="10", lang=lang)
    rows = code(24, 10)
    scaled = rows.T / np.linalg.norm(rows.T, axis=1, keepdims=True)
    columns = np.abs(scaled @ scaled.T - np.eye(10)).max()
    assert columns > 0.9
    neighbours = float(rows[0] @ rows[1] / 5)
    assert neighbours > 0.5
    text = written(app)
    assert f"{columns:.6g}" in text
    assert f"{neighbours:.3g}" in text
    waves = np.array(
        [[f(2 * math.pi * k * pos / 8) for k in (1, 2, 3) for f in (math.sin, math.cos)] for pos in range(16)]
    )
    gram = waves.T @ waves
    np.testing.assert_allclose(gram, 8 * np.eye(6), atol=1e-12)
    np.testing.assert_allclose(waves[8], waves[0], atol=1e-12)
    assert (
        Words("positions", lang)("products.unique", columns="", neighbours="", exact="", period=8, apart="")[:12]
        in text
    )


def test_over_ever_more_positions_the_mean_product_of_two_waves_tends_to_nothing() -> None:
    means = []
    for length in (100, 1_000, 100_000):
        rows = code(length, 6)  # the slowest wave is 2,917 positions long
        means.append(np.abs(rows.T @ rows / length - np.eye(6) / 2).max())
    assert means[0] > 0.3
    assert means == sorted(means, reverse=True)
    assert means[-1] < 0.01


def test_710_radians_are_nearly_113_turns() -> None:
    assert 0 < 710 - 113 * 2 * math.pi < 7e-5
