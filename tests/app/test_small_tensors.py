"""Four small demonstrations of PyTorch's own functions: transpose, linear layer, gain, padding in four dimensions."""

import math
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from tests.app.boards import matrices, panel, snippet
from tests.app.conftest import Open
from ui.chapters.layers.gain import FORMULAS, gain_of, sizes
from ui.chapters.tokens.padding import CALLS, SHAPE, of_indices


def test_a_position_keeps_its_numbers_by_transpose_and_is_mixed_with_others_by_view(open_link: Open) -> None:
    app = open_link("heads", lang="en")
    shown = matrices(app, "heads.view")
    assert shown["transpose"].tolist()[1] == [10, 11, 12, 13, 110, 111, 112, 113]
    assert shown["view"].tolist()[1] == [20, 21, 22, 23, 100, 101, 102, 103]
    assert (shown["transpose"] // 10 % 10 == np.arange(3)[:, None]).all()
    assert any("**8** of the 24" in block.value for block in app.markdown)


def test_a_linear_layer_makes_thirty_numbers_of_twenty_in_each_of_128_rows(open_link: Open) -> None:
    app = open_link("layers", linear_seed="4", linear_from="40", linear_cell="y.3.29", lang="en")
    torch.manual_seed(4)
    layer, x = torch.nn.Linear(20, 30), torch.randn(128, 20)
    shown = matrices(app, "layers.linear")
    assert shown["weight"].shape == (30, 20)
    np.testing.assert_allclose(shown["y"], layer(x).detach()[40:48], atol=1e-5)
    names: dict[str, Any] = {}
    exec(snippet(app, "layers.linear"), names)
    np.testing.assert_allclose(names["shown"][40:48], shown["y"], atol=1e-5)


def test_the_gain_widens_the_draw_and_nothing_else(open_link: Open) -> None:
    app = open_link("layers", gain_of="relu", gain_seed="2", gain_cell="scaled.2.4", lang="en")
    shown = matrices(app, "layers.gain")
    np.testing.assert_allclose(shown["scaled"], math.sqrt(2) * shown["plain"], rtol=1e-5)
    assert np.abs(shown["plain"]).max() <= math.sqrt(6 / 8)
    names: dict[str, Any] = {}
    exec(snippet(app, "layers.gain"), names)
    np.testing.assert_allclose(names["shown"], shown["scaled"], rtol=1e-6)


@pytest.mark.parametrize("function", FORMULAS)
def test_every_function_has_its_gain_and_its_stack(function: str) -> None:
    found = sizes(function, gain_of(function), 0)
    assert found[0] == pytest.approx(1, abs=0.1)
    assert np.isfinite(found).all()


def test_the_gain_of_the_relu_keeps_the_size_that_gain_one_loses() -> None:
    assert 0.4 < sizes("relu", math.sqrt(2), 1)[-1] < 2.5
    assert sizes("relu", 1.0, 1)[-1] < 0.1
    assert sizes("linear", 1.0, 1)[-1] == pytest.approx(1, abs=0.5)


@pytest.mark.parametrize(("pairs", "shape"), [("1", (3, 3, 4, 4)), ("2", (3, 3, 8, 4)), ("3", (3, 9, 7, 3))])
def test_the_notes_tensor_grows_from_its_last_dimension_outwards(
    open_link: Open, pairs: str, shape: tuple[int, ...]
) -> None:
    after = F.pad(of_indices(SHAPE), CALLS[pairs])
    assert after.shape == shape
    app = open_link("tokens", pairs=pairs)
    shown = matrices(app, "tokens.four")
    assert sum(key.startswith("y") for key in shown) == shape[1]
    assert all(np.array_equal(shown[f"y{i}"], after[0, i]) for i in range(shape[1]))


def test_every_number_of_the_tensor_is_told_by_its_digits() -> None:
    assert int(of_indices(SHAPE)[2, 1, 3, 0]) == 3241
    assert len(of_indices(SHAPE).unique()) == math.prod(SHAPE)


@pytest.mark.parametrize(
    ("pairs", "key", "cell", "made"),
    [
        ("3", "y3", (2, 0), ["cell", "x0", ["i", -2], ["j", 0]]),
        ("3", "y0", (2, 0), ["number", 0, ""]),
        ("4", "y1", (2, 1), ["cell", "x1", ["i", -2], ["j", 0]]),
    ],
)
def test_a_padded_cell_is_traced_to_where_it_was(
    open_link: Open, pairs: str, key: str, cell: tuple[int, int], made: list[Any]
) -> None:
    shown = panel(open_link("tokens", pairs=pairs), "tokens.four", key)
    at = shown["made"]["table"][cell[0] * shown["shape"][1] + cell[1]] if shown["made"]["axis"] else 0
    assert shown["made"]["formulas"][at] == made
