"""What holds for every figure of every chapter: its formulas give its numbers, and so does its program."""

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import numpy as np
import pytest
import torch

import ui.showing.show
from tests.app.conftest import Open
from ui.figures.evaluated import furthest
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
    close = ui.showing.show.close

    def heard(chapter: Any, figure: Figure) -> None:
        shown.append(figure)
        close(chapter, figure)

    monkeypatch.setattr(ui.showing.show, "close", heard)

    def open_(chapter: str, query: str) -> list[Figure]:
        shown.clear()
        app = open_link(chapter, **({"open": ""} | dict(parse_qsl(query))))
        assert not app.exception
        return list(shown)

    return open_


@cache
def computed(program: str) -> np.ndarray:
    names: dict[str, Any] = {}
    exec(program, names)
    return np.atleast_2d(torch.as_tensor(np.asarray(names["shown"])).detach().numpy())


@pytest.mark.usefixtures("few_sequences")
@pytest.mark.parametrize(("chapter", "query"), LINKS)
def test_formulas_and_programs_give_the_numbers_of_every_figure(figures: Any, chapter: str, query: str) -> None:
    for figure in figures(chapter, query):
        if isinstance(figure.picture, Board):
            found = furthest(figure.picture)
            assert found is None or found < 1e-5, (figure.name, found)
        if figure.program:
            shown = computed(figure.program)
            assert shown.shape == figure.data.shape, figure.name
            np.testing.assert_allclose(shown, figure.data, atol=1e-5, rtol=1e-4, err_msg=figure.name)


def test_every_figure_that_is_drawn_by_itself_is_closed_where_the_law_hears_it() -> None:
    rooms = [*(Path(ui.showing.show.__file__).parent / "chapters").rglob("*.py")]
    deaf = [room.name for room in rooms if re.search(r"from ui\.show import .*\bclose\b", room.read_text("utf-8"))]
    assert rooms
    assert not deaf, "`from ui import show`, then `show.close`"
