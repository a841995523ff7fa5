"""Weights as lines."""

import re

import numpy as np

from ui.figures.lines import lines

WEIGHTS = np.array([[0.75, 0.25, 0.0], [0.0, 0.001, 0.999]])


def drawing(query: int | None = None, key: int | None = None) -> str:
    return lines(
        WEIGHTS, ["a", "<b>"], ["x", "y", "z"], heads=("Q", "K"), query=query, key=key, mode="light", alt="weights"
    )


def test_every_weight_that_can_be_seen_is_a_line_as_opaque_as_it_is_large() -> None:
    drawn = re.findall(r'<line data-query="(\d)" data-key="(\d)".*?stroke-opacity="([\d.]+)"', drawing())
    assert drawn == [("0", "0", "0.750"), ("0", "1", "0.250"), ("1", "2", "0.999")]


def test_the_chosen_query_lies_on_top_and_has_its_weights_printed() -> None:
    picture = drawing(query=0, key=1)
    assert re.findall(r'<line data-query="(\d)"', picture) == ["1", "0", "0"]
    assert re.findall(r">(\d\.\d{3})<", picture) == ["0.750", "0.250", "0.000"]


def test_labels_cannot_become_markup() -> None:
    assert "<b>" not in drawing()
    assert "&lt;b&gt;" in drawing()
