"""Colours that can be read, told apart by everyone, and found only in one place."""

import itertools
import re
import tomllib
from pathlib import Path

import numpy as np
import pytest

from transformer_core.external.heatmap import HUE, MASKED
from ui.figures.curves import TWO_COLORS, tint
from ui.theme import (
    DIVERGING,
    MEANINGS,
    MODES,
    PAGE,
    SEQUENTIAL,
    Mode,
    canvas,
    color,
    css,
    in_hex,
    layout,
    plotly_scale,
)

ROOT = Path(__file__).resolve().parents[2]

# Machado, Oliveira and Fernandes (2009), severity 1.0, for linear RGB.
SIGHT = {
    "typical": np.eye(3),
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
}
XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
WHITE = np.array([0.9505, 1.0, 1.089])


def linear(hex_color: str) -> np.ndarray:
    parts = np.array([int(hex_color[at : at + 2], 16) / 255 for at in (1, 3, 5)])
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def luminance(hex_color: str) -> float:
    return float(XYZ[1] @ linear(hex_color))


def contrast(one: str, other: str) -> float:
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def lab(hex_color: str, sight: str) -> np.ndarray:
    x, y, z = XYZ @ np.clip(SIGHT[sight] @ linear(hex_color), 0, 1) / WHITE
    f = [np.cbrt(t) if t > 0.008856 else 7.787 * t + 16 / 116 for t in (x, y, z)]
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def difference(one: str, other: str, sight: str) -> float:
    """CIE 1976: about 2 is just noticeable side by side."""
    return float(np.linalg.norm(lab(one, sight) - lab(other, sight)))


def test_contrast_knows_black_on_white() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)


@pytest.mark.parametrize("mode", MODES)
def test_text_and_labels_can_be_read(mode: Mode) -> None:
    for ink, paper in itertools.product(("text", "quiet"), ("background", "panel")):
        assert contrast(color(ink, mode), color(paper, mode)) >= 4.5


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("meaning", MEANINGS)
def test_a_meaning_stands_out_from_the_page(meaning: str, mode: Mode) -> None:
    in_text = meaning not in {"chosen", "masked", "padding"}
    assert contrast(color(meaning, mode), color("background", mode)) >= (4.5 if in_text else 3)


@pytest.mark.parametrize("sight", SIGHT)
@pytest.mark.parametrize("mode", MODES)
def test_everyone_can_tell_the_tensors_apart(mode: Mode, sight: str) -> None:
    for one, other in itertools.combinations(("query", "key", "value"), 2):
        assert difference(color(one, mode), color(other, mode), sight) > 20
    for one, other in itertools.combinations(("recurrent", "convolution", "attention"), 2):
        assert difference(color(one, mode), color(other, mode), sight) > 20
    for one, other in (("encoder", "decoder"), ("right", "wrong")):
        assert difference(color(one, mode), color(other, mode), sight) > 12


@pytest.mark.parametrize("sight", SIGHT)
@pytest.mark.parametrize("mode", MODES)
def test_the_two_signs_and_zero_stay_apart_for_everyone(mode: Mode, sight: str) -> None:
    negative, zero, positive = DIVERGING[mode][0], DIVERGING[mode][4], DIVERGING[mode][-1]
    assert difference(negative, positive, sight) > 40
    assert min(difference(zero, end, sight) for end in (negative, positive)) > 40


@pytest.mark.parametrize("mode", MODES)
def test_a_scale_begins_near_the_page_and_moves_steadily_away_from_it(mode: Mode) -> None:
    negative, positive = DIVERGING[mode][4::-1], DIVERGING[mode][4:]
    for stops in (SEQUENTIAL[mode], negative, positive):
        distances = [contrast(stop, color("background", mode)) for stop in stops]
        assert distances[0] < 1.2
        assert distances == sorted(distances)
        assert distances[-1] > 7


@pytest.mark.parametrize("sight", SIGHT)
@pytest.mark.parametrize("mode", MODES)
def test_gold_outlines_are_seen_on_both_scales(mode: Mode, sight: str) -> None:
    gold, rim = color("chosen", mode), color("background", mode)
    for stop in (*SEQUENTIAL[mode], *DIVERGING[mode]):
        assert max(difference(gold, stop, sight), difference(rim, stop, sight)) > 20


def test_a_plotly_scale_spans_zero_to_one() -> None:
    for mode, kind in itertools.product(MODES, ("signed", "probability")):
        positions, stops = zip(*plotly_scale(mode, kind), strict=True)
        assert positions == tuple(i / 8 for i in range(9))
        assert stops == (DIVERGING if kind == "signed" else SEQUENTIAL)[mode]


@pytest.mark.parametrize("mode", MODES)
def test_plotly_is_given_the_colours_of_one_theme_where_the_page_has_both(mode: Mode) -> None:
    option = {"series": [{"color": css("signed-1"), "data": [[1, None, "var(--x)"]]}]}
    assert in_hex(option, mode) == {"series": [{"color": DIVERGING[mode][1], "data": [[1, None, "var(--x)"]]}]}


def test_plotly_figures_lie_on_the_page_without_a_background_of_their_own() -> None:
    for mode in MODES:
        assert layout(mode)["paper_bgcolor"] == layout(mode)["plot_bgcolor"] == "rgba(0,0,0,0)"
        assert layout(mode)["font"]["color"] == color("text", mode)
        assert "CJK" in layout(mode)["font"]["family"]


def test_streamlit_is_given_the_same_colours() -> None:
    themes = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))["theme"]
    for mode in MODES:
        assert themes[mode] == {
            "primaryColor": color("query", mode),
            "backgroundColor": color("background", mode),
            "secondaryBackgroundColor": color("panel", mode),
            "textColor": color("text", mode),
            "linkColor": color("query", mode),
            "borderColor": color("grid", mode),
        }


def test_the_stylesheet_is_given_the_same_colours() -> None:
    sheet = (ROOT / "assets" / "style.css").read_text(encoding="utf-8")
    plain = dict(re.findall(r"--([\w-]+): (#\w{6});", sheet))
    both = {name: (light, dark) for name, light, dark in re.findall(r"--([\w-]+): light-dark\((#\w+), (#\w+)\)", sheet)}
    assert both == {name: (color(name, "light"), color(name, "dark")) for name in both}
    assert plain == {name: light for name, (light, _) in both.items()}
    assert {*MEANINGS, *PAGE} <= both.keys()
    assert {*map(css, both)} >= {css("probability-6"), *TWO_COLORS, *(tint(at, 9) for at in range(9))}
    assert set(re.findall(r"#[0-9a-f]{6}\b", sheet)) == {part for pair in both.values() for part in pair}


def test_no_rule_makes_the_browser_ask_every_element_again_when_one_has_changed() -> None:
    for sheet in (ROOT / "assets").rglob("*.css"):
        assert not re.search(r"(:root|html|body|\.stApp):has", sheet.read_text(encoding="utf-8")), sheet


@pytest.mark.parametrize("mode", MODES)
def test_a_notebook_is_given_the_weights_colour_and_reads_it_on_either_page(mode: Mode) -> None:
    assert HUE in SEQUENTIAL["light"]
    assert contrast(HUE, color("background", mode)) > 3
    assert MEANINGS["masked"]["light"] == MASKED


def test_every_colour_is_six_hex_digits_as_the_canvas_reads_them() -> None:
    for mode in MODES:
        painted = canvas(mode)
        stops = [stop for scale in painted.pop("scales").values() for stop in scale]
        for value in (*painted.values(), *stops):
            assert re.fullmatch(r"#[0-9a-f]{6}", value)
        assert painted.keys() == MEANINGS.keys() | PAGE.keys()


@pytest.mark.parametrize("axis", ["xaxis", "yaxis"])
def test_a_small_number_on_an_axis_is_written_as_on_the_canvas(axis: str) -> None:
    assert layout("light")[axis]["exponentformat"] == "power"
