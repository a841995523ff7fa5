"""A figure is drawn once for all readers who see the same, and anew for who has changed anything that it shows."""

import pytest

from tests.app.conftest import Open
from ui.figures.figure import Figure

CHANGED = {  # of each chapter a figure that is kept, and a setting of its own
    "tokens": ("lookup", {"width": "14"}),
    "positions": ("code", {"length": "90"}),
    "masks": ("both", {"stretched": "1"}),
    "scaling": ("steps", {"factor": "2"}),
    "walkthrough": ("tensor", {"place": "3"}),
    "decoding": ("turn", {"turn": "2"}),
    "loss": ("divergence", {"asked_smoothing": "0.2"}),
}


@pytest.mark.parametrize("chapter", CHANGED)
def test_a_figure_is_drawn_once(open_link: Open, shown: list[Figure], chapter: str) -> None:
    name, change = CHANGED[chapter]
    said = {"open": "", "lang": "en", "model": "translate"}
    for link in ({}, {}, change, {"lang": "zh"}, {"model": "spanish", "src": "two dogs sleep"}):
        assert not open_link(chapter, **said | link).exception
    drawn = [figure.picture for figure in shown if figure.name == name]
    assert drawn[0] is drawn[1]
    assert len(set(map(id, drawn))) == 4
