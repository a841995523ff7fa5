"""The chapter on positions: its figures of the code are the formula's numbers."""

import json
import math

import numpy as np
import pytest

from tests.app.boards import boards, matrices, panel
from tests.app.conftest import Open
from tests.app.position_code import ANSWERED, FIGURES, code, pe, said, traces
from ui.figures.number import number
from ui.text import LANGUAGES, Typed, Words


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_section_is_there_once_the_questions_are_answered(open_link: Open, lang: str) -> None:
    app = open_link("positions", lang=lang, **ANSWERED)
    assert not app.exception
    assert boards(app) == [f"positions.{figure}" for figure in FIGURES]
    assert len(app.get("echarts_chart")) == 4
    assert len(app.success) == 4


def test_what_a_question_asks_for_stays_hidden_until_there_is_a_reply_or_the_reader_gives_up(open_link: Open) -> None:
    app = open_link("positions")
    assert boards(app) == [
        "positions.code",
        "positions.products",
        "positions.sum",
        "positions.layouts",
        "positions.frozen",
    ]
    (show,) = [toggle for toggle in app.toggle if toggle.key == "positions.order.show"]
    assert "positions.order" in boards(show.set_value(True).run())


def test_the_first_figure_is_the_notes_plot(open_link: Open) -> None:
    app = open_link("positions", lang="en")
    shown = matrices(app, "positions.code")["code"]
    np.testing.assert_allclose(shown, code(100, 20), atol=1e-5)
    curves = traces(app, 0)
    assert list(curves) == ["dim 4", "dim 5", "dim 6", "dim 7"]
    for dim, curve in zip((4, 5, 6, 7), curves.values()):
        np.testing.assert_allclose(curve, code(100, 20)[:, dim], atol=1e-5)


def test_length_size_and_base_come_from_the_link(open_link: Open) -> None:
    app = open_link("positions", length="7", d_model="12", base="2", dims="11 0")
    np.testing.assert_allclose(matrices(app, "positions.code")["code"], code(7, 12, base=100.0), atol=1e-6)
    np.testing.assert_allclose(next(iter(traces(app, 0).values())), code(7, 12, base=100.0)[:, 11], atol=1e-6)


@pytest.mark.parametrize(("cell", "pos", "dim"), [("code.37.4", 37, 4), ("code.99.19", 99, 19), ("code.0.0", 0, 0)])
def test_a_chosen_cell_has_its_point_on_the_curve(open_link: Open, cell: str, pos: int, dim: int) -> None:
    app = open_link("positions", cell=cell)
    marked = json.loads(app.get("echarts_chart")[0].proto.spec)["series"][-1]
    assert [point[:2] for point in marked["data"]] == [[pos, pytest.approx(pe(pos, dim, 20), abs=1e-6)]]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_an_odd_size_gets_a_sentence_and_its_even_neighbour(open_link: Open, lang: str) -> None:
    app = open_link("positions", lang=lang, d_model="21", product_d="5")
    expected = [Words("positions", lang)("odd", d_model=odd, even=odd - 1) for odd in (21, 5)]
    assert [box.value for box in app.warning] == expected
    assert matrices(app, "positions.code")["code"].shape == (100, 20)
    assert matrices(app, "positions.products")["code"].shape == (32, 4)


@pytest.mark.parametrize("size", [0, 1])
def test_a_size_without_a_pair_gets_a_sentence_wherever_it_is_set(open_link: Open, size: int) -> None:
    names = ("d_model", "wave_d", "product_d", "turn_d", "form_d")
    app = open_link("positions", lang="en", dims="0 1", **ANSWERED, **dict.fromkeys(names, str(size)))
    assert not app.exception
    assert [box.value for box in app.warning] == [Words("positions", "en")("odd", d_model=size, even=2)] * len(names)
    assert matrices(app, "positions.code")["code"].shape == (100, 2)
    assert {app.slider(key=f"positions:{name}").value for name in names} == {2}


@pytest.mark.parametrize(("dims", "key"), [("", "empty"), ("4 x", "letters"), ("3 20", "range"), ("0 " * 9, "many")])
def test_dimensions_that_cannot_be_drawn_get_a_sentence_and_the_heatmap_stays(
    open_link: Open, dims: str, key: str
) -> None:
    app = open_link("positions", lang="en", dims=dims)
    blanks = {"word": Typed({"letters": "x", "range": "20"}.get(key, "")), "low": 0, "high": 19, "count": 9, "most": 8}
    assert [box.value for box in app.warning] == [Words("positions", "en")(f"dims_wrong.{key}", **blanks)]
    assert "positions.code" in boards(app)


def test_the_slowest_wavelength_only_approaches_the_papers_end(open_link: Open) -> None:
    app = open_link("positions", lang="en", **ANSWERED)
    lengths = traces(app, 1)["wavelength"]
    assert lengths[0] == pytest.approx(2 * math.pi)
    assert lengths[-1] == pytest.approx(2 * math.pi * 10000 ** (510 / 512))
    assert "repeats after 60611.5" in said(app)
    assert "62831.9" in said(app)


def test_the_products_are_constant_along_diagonals_and_written_out(open_link: Open) -> None:
    app = open_link("positions", product_length="9", product_d="6", product_cell="products.2.7", **ANSWERED)
    products = matrices(app, "positions.products")["products"]
    assert panel(app, "positions.products", "products")["scale"] == ("signed" if products.min() < 0 else "magnitude")
    expected = code(9, 6) @ code(9, 6).T
    np.testing.assert_allclose(products, expected, atol=1e-5)
    distances = next(iter(traces(app, 2).values()))
    nearest = min(float(np.linalg.norm(code(9, 6)[i] - code(9, 6)[j])) for i in range(9) for j in range(i))
    assert f"{number(nearest, 3)}" in said(app)
    for k in range(9):
        np.testing.assert_allclose(np.diagonal(products, k), distances[k], atol=1e-5)


@pytest.mark.parametrize(("pos", "shift"), [(0, 1), (41, 50), (7, 0)])
def test_the_rotation_takes_one_position_to_the_other(open_link: Open, pos: int, shift: int) -> None:
    app = open_link("positions", pos=str(pos), shift=str(shift), turn_d="10", **ANSWERED)
    shown = matrices(app, "positions.rotation")
    np.testing.assert_allclose(shown["here"][:, 0], code(pos + 1, 10)[pos], atol=1e-6)
    np.testing.assert_allclose(shown["rotation"] @ shown["here"], shown["there"], atol=1e-5)
    np.testing.assert_allclose(shown["turned"], shown["there"], atol=1e-6)


def test_a_cell_of_the_rotation_is_a_cosine_a_sine_or_zero(open_link: Open) -> None:
    app = open_link("positions", shift="3", turn_d="6", **ANSWERED)
    made = panel(app, "positions.rotation", "rotation")["made"]
    kinds = [made["formulas"][at][:2] for at in made["table"][12:16] + made["table"][18:22]]  # rows 2 and 3
    zero = ["number", 0]
    assert kinds == [zero, zero, ["call", "cos"], ["call", "sin"], zero, zero, ["call", "−"], ["call", "cos"]]


def test_each_pair_has_a_clock_and_all_turn_by_the_shift_times_their_frequency(open_link: Open) -> None:
    app = open_link("positions", pos="9", shift="4", turn_d="6", **ANSWERED)
    (clocks,) = [block.body for block in app.get("html") if 'role="img"' in block.body]
    for pair in range(3):
        frequency = 10000 ** (-2 * pair / 6)
        assert f"+{number(4 * frequency, 3)}<" in clocks
        assert f"rotate({9 * frequency:.4f}rad)" in clocks
        assert f"rotate({13 * frequency:.4f}rad)" in clocks


def test_the_two_layouts_hold_the_same_columns(open_link: Open) -> None:
    shown = matrices(open_link("positions", open="layouts"), "positions.layouts")
    order = [*range(0, 16, 2), *range(1, 16, 2)]
    np.testing.assert_array_equal(shown["concatenated"], shown["interleaved"][:, order])


def test_the_forms_agree_up_to_rounding_and_the_error_grows_with_the_position(open_link: Open) -> None:
    near, far = (traces(open_link("positions", form_at=at, lang="en", **ANSWERED), 3) for at in ("1", "4999"))
    for name, double in (("exp and log, float32", False), ("power, float32", False), ("exp and log, float64", True)):
        assert np.nanmax(near[name]) < (-15 if double else -6)
        assert np.nanmax(near[name]) < np.nanmax(far[name]) < (-11 if double else -3)
