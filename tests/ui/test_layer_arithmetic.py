"""Sums around attention, written out: the last number is the one the tensor holds."""

import re

import pytest
import torch

from tests.written import read
from transformer_core import layer_norm_steps
from transformer_core.layer_norm import torch_layer_norm_steps
from ui.figures.layer_arithmetic import (
    added,
    length_of,
    mean_of,
    normalised,
    rectified,
    spread_of,
    thinned,
    times_root,
)
from ui.figures.source import marked_lines


def result(html: str) -> float:
    return read(re.findall(r'<b class="chosen">([^<]*)</b>', html)[-1])


X = torch.tensor([1.5, -2.0, 0.25, 4.0, -0.5])
GAIN, SHIFT = torch.linspace(0.5, 2, 5), torch.linspace(-1, 1, 5)


def test_the_notes_layer_norm_is_written_with_the_unbiased_spread() -> None:
    steps = layer_norm_steps(X, GAIN, SHIFT)
    mean, spread = result(mean_of("mean", X.tolist())), result(spread_of("std", X.tolist(), 1))
    assert [mean, spread] == pytest.approx([float(steps.mean), float(steps.std)], rel=1e-3)
    html = normalised("out", 4.0, float(steps.mean), float(steps.std), float(GAIN[3]), float(SHIFT[3]), 1e-6)
    assert result(html) == pytest.approx(float(steps.output[3]), rel=1e-3)


def test_gain_and_shift_are_written_with_the_digits_of_the_result() -> None:
    html = normalised("out", -0.1123, 0.5778, 0.8244, 1.1327, 0.012345)
    assert "1.133·" in html
    assert "+ 0.01235" in html


def test_torchs_layer_norm_is_written_with_eps_under_the_root() -> None:
    steps = torch_layer_norm_steps(X, GAIN, SHIFT, 0.1)
    html = spread_of("std", X.tolist(), 0, 0.1)
    assert result(html) == pytest.approx(float(steps.std), rel=1e-3)
    assert "+ 0.1" in html


def test_the_small_steps() -> None:
    assert result(added("sum", 1.25, -2.0)) == -0.75
    assert result(times_root("x", -0.5, 64)) == -4
    assert result(length_of("|x|", [3.0, -4.0])) == 5
    assert [result(rectified("h", value)) for value in (-1.3, 0.7)] == [0, 0.7]


def test_dropout_divides_what_it_keeps_and_zeroes_the_rest() -> None:
    assert result(thinned("out", 0.9, True, 0.1)) == 1
    assert result(thinned("out", 0.9, False, 0.1)) == 0


def test_the_marked_line_is_escaped_numbered_and_the_only_one_in_gold() -> None:
    html = marked_lines(["a = 1", "if a < b:", "c = 2"], 41, 1, "light")
    assert "&lt;" in html
    assert html.count("#b07900") == 1
    assert "  42</span>  if a" in html
