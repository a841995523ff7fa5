"""What scenes are laid out with: where words, strips, bars and points of a plane stand, and beats that add."""

import numpy as np
import pytest

from ui.figures.actors import NARROW, WIDE, Beat, Word
from ui.figures.letters import breadth
from ui.figures.staging import Axes, Bars, Columns, adding, sizes


def test_a_stage_picks_its_own_of_two_places() -> None:
    at = sizes(left=(150.0, 8.0), lines=(1, 2))
    assert (WIDE.of(150.0, 8.0), NARROW.of(150.0, 8.0)) == (at.on(WIDE).left, at.on(NARROW).left) == (150.0, 8.0)
    assert (at.on(WIDE).lines, at.on(NARROW).lines) == (1, 2)


def test_words_in_columns_are_as_large_as_the_widest_has_room_for() -> None:
    columns, texts = Columns(3, 10, 310), ["a", "four", "thirteen lett"]
    words = columns.words("word", texts, 40, 18, 4, glosses={"four": "4"}, color="key")
    assert [(word.name, word.x, word.y, word.gloss, word.color) for word in words] == [
        ("word 0", 60, 40, "", "key"),
        ("word 1", 160, 40, "4", "key"),
        ("word 2", 260, 40, "", "key"),
    ]
    assert [word.size for word in words] == pytest.approx([96 / breadth(texts[2])] * 3)
    each = columns.words("word", texts, 40, 18, 4, alike=False)
    assert [word.size for word in each] == [18, 18, words[0].size]
    assert [word.size for word in columns.words("word", texts, 40, 18)] == [18, 18, 18], "no gap, no fitting"


def test_strips_are_the_rows_of_a_table_in_the_middle_of_their_columns() -> None:
    table = np.arange(8.0).reshape(2, 4)
    first, second = Columns(2, 0, 100).strips("strip", table, 7, 30, 5, end=7.0)
    assert (first.x, second.x, second.y, second.width, second.height, second.end) == (10, 60, 7, 30, 5, 7.0)
    assert np.array_equal(np.concatenate([first.values, second.values]), table)


@pytest.mark.parametrize(
    ("height", "top", "tall", "figure"), [(50, 150, 50, 139), (-30, 200, 30, 241), (0, 200, 1, 189)]
)
def test_a_bar_stands_on_its_line_or_hangs_below_it_and_its_figure_is_beyond_its_end(
    height: float, top: float, tall: float, figure: float
) -> None:
    bars = Bars(200, 20, gap=11)
    bar, word = bars.bar("bar", 70, height, "key"), bars.figure("figure", 70, height, "12")
    assert (bar.x, bar.y, bar.width, bar.height) == (60, top, 20, tall)
    assert (word.x, word.y, word.text) == (70, figure, "12")


def test_axes_place_numbers_between_their_ends() -> None:
    axes = Axes(left=10, right=110, top=20, base=220, x_end=5, y_end=0.5)
    assert [axes.x(number) for number in (0, 1, 5)] == [10, 30, 110]
    assert [axes.y(number) for number in (0, 0.125, 0.5)] == [220, 170, 20]
    curve = axes.curve("curve", [(0, 0.5), (5, 0)], color="key")
    drawn = [(curve.x + x, curve.y + y) for x, y in curve.points]
    assert drawn == [(10, 20), (110, 220)]


def test_beats_add_to_those_before() -> None:
    one, other, last = (Word(name, 0, 0) for name in ("one", "other", "last"))
    beats = adding(([one], 0.3, 0.1), (iter([other, last]), 0.6, 0.2))
    assert beats == (Beat((one,), 0.3, 0.1), Beat((one, other, last), 0.6, 0.2))
