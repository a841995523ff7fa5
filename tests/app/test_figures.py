"""What holds for every figure of every chapter: its formulas give its numbers, and so does its program."""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import numpy as np
import pytest
import torch

import ui.show
from tests.app.conftest import Open
from tests.evaluated import evaluated
from ui.figures.figure import Board, Figure
from ui.settings.chapters import CHAPTERS, MAP

CHOICES = Path(__file__).parent / "choices"  # per chapter, a link a line: every choice that changes a figure


def links(chapter: str) -> list[str]:
    file = CHOICES / f"{chapter}.txt"
    return ["open=all", *(file.read_text(encoding="utf-8").splitlines() if file.is_file() else [])]


LINKS = [(chapter, query) for chapter in (MAP, *CHAPTERS) for query in links(chapter)]


@pytest.fixture
def figures(open_link: Open, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], list[Figure]]:
    """The figures that a link shows, in their order."""
    shown: list[Figure] = []
    close = ui.show.close

    def heard(chapter: Any, figure: Figure) -> None:
        shown.append(figure)
        close(chapter, figure)

    monkeypatch.setattr(ui.show, "close", heard)

    def open_(chapter: str, query: str) -> list[Figure]:
        shown.clear()
        app = open_link(chapter, **({"open": ""} | dict(parse_qsl(query))))
        assert not app.exception
        return list(shown)

    return open_


def off(made: np.ndarray, shown: np.ndarray) -> float:
    """How far a formula is from the numbers, beside the largest of them; what is given counts for nothing."""
    shown = np.asarray(shown, dtype=np.float64)
    counted = ~np.isnan(made)
    assert np.array_equal(made[counted & ~np.isfinite(shown)], shown[counted & ~np.isfinite(shown)])
    counted &= np.isfinite(shown)
    if not counted.any():
        return 0.0
    # What stands for minus infinity is not a size to compare with.
    size = max(1e-30, *(abs(value) for value in shown[counted] if abs(value) < 1e8), 1e-30)
    return float(np.abs(made[counted] - shown[counted]).max()) / size


@cache
def computed(program: str) -> np.ndarray:
    names: dict[str, Any] = {}
    exec(program, names)
    return np.atleast_2d(torch.as_tensor(np.asarray(names["shown"])).detach().numpy())


def check_formulas(figure: Figure, board: Board) -> None:
    matrices = {one.key: one.values for one in board.panels} | {one.key: one.values for one in board.operands}
    for panel in board.panels:
        if panel.made is not None:
            found = off(evaluated(panel.made, matrices, *panel.places), panel.shown)
            assert found < 1e-5, (figure.name, panel.key, found)


@pytest.mark.usefixtures("few_sequences")
@pytest.mark.parametrize(("chapter", "query"), LINKS)
def test_formulas_and_programs_give_the_numbers_of_every_figure(figures: Any, chapter: str, query: str) -> None:
    for figure in figures(chapter, query):
        if isinstance(figure.picture, Board):
            check_formulas(figure, figure.picture)
        if figure.program:
            shown = computed(figure.program)
            assert shown.shape == figure.data.shape, figure.name
            np.testing.assert_allclose(shown, figure.data, atol=1e-5, rtol=1e-4, err_msg=figure.name)
