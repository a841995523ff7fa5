"""What holds for every figure of every chapter: its formulas give its numbers, and so does its program.

The formulas are worked out twice: by Python's interpreter, and by the scripts from the message that they are sent, with
the sums that a reader sees.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import numpy as np
import pytest
import torch

from tests.app.answers import right
from tests.app.conftest import Open
from tests.javascript import asking
from tests.typed import fault
from transformer_core.exercises.symptoms import forced, stuck, validation
from ui.cache import ValueCache
from ui.chapters import contents
from ui.chapters.decoding import untrained
from ui.chapters.layers import depth
from ui.figures.board import payload
from ui.figures.evaluated import furthest
from ui.figures.figure import Board, Figure
from ui.figures.formula import Cases, Cell, Fold, Formula, Named, Number
from ui.figures.payload import DrawnMessage
from ui.settings.chapters import CHAPTERS, MAP
from ui.settings.fields import Flag, OneOf

CHOICES = Path(__file__).parent / "choices"  # per chapter, a link a line: combinations that change a figure


def links(chapter: str) -> list[str]:
    """Everything open; each choice of each section's controls by itself; and what is listed."""
    file = CHOICES / f"{chapter}.txt"
    return ["open=all", *single(chapter), *(file.read_text(encoding="utf-8").splitlines() if file.is_file() else [])]


def single(chapter: str) -> Iterator[str]:
    replies = "".join(f"&{name}={said}" for name, said in right(chapter).items())
    for section in contents(chapter).every:
        default = section.settings.default()
        for name in section.settings.controls():
            kind = section.settings.kinds()[name]
            options = kind.options if isinstance(kind, OneOf) else (True, False) if isinstance(kind, Flag) else ()
            for option in options:
                if option != getattr(default, name):
                    yield f"only={section.name}&{name}={kind.format(option)}{replies}"


LINKS = [(chapter, query) for chapter in (MAP, *CHAPTERS) for query in links(chapter)]


@pytest.fixture
def figures(open_link: Open, shown: list[Figure]) -> Callable[[str, str], list[Figure]]:
    """The figures that a link shows, in their order."""

    def open_(chapter: str, query: str) -> list[Figure]:
        shown.clear()
        app = open_link(chapter, **({"open": ""} | dict(parse_qsl(query))))
        assert not app.exception
        return list(shown)

    return open_


@pytest.fixture(autouse=True, scope="module")
def small() -> Iterator[None]:
    """A figure of three depths is made by the same lines as that of twelve, and one of twenty updates as that of more.

    Symptoms are kept by their seed alone: here they are kept apart from those of other tests.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(depth, "DEEPEST", 3)
        patch.setattr(untrained, "GIVEN", untrained.GIVEN._replace(N=1, d_model=16, d_ff=32, h=2))
        for runs in (stuck, forced):
            patch.setattr(runs, "STEPS", 20)
        patch.setattr(validation, "UPDATES", 4)
        patch.setattr(import_module("ui.chapters.symptoms.symptom"), "cached", ValueCache())
        yield


@pytest.fixture(scope="module")
def client() -> Iterator[Callable[[str], Any]]:
    """What the scripts make of a board's message, which several links may send."""
    with asking() as ask:

        @cache
        def answer(message: str) -> Any:
            told = json.loads(message)
            assert fault(told, DrawnMessage) == ""
            return ask("board", told)

        yield answer


@cache
def computed(program: str) -> np.ndarray:
    names: dict[str, Any] = {}
    exec(program, names)
    return np.atleast_2d(torch.as_tensor(np.asarray(names["shown"])).detach().numpy())


def strangers(figure: Figure) -> list[str]:
    """The panels drawn on a scale that is not their own: the masks' for what is no mask, that of shares for what is
    beyond its ends."""
    assert isinstance(figure.picture, Board)
    found = []
    for panel in figure.picture.panels:
        about = f"{panel.key} {panel.symbol} {panel.title} {figure.origin}".lower()
        shown, (low, high) = np.asarray(panel.shown, dtype=float), panel.ends()
        beyond = (shown < low - 1e-5) | (shown > high + 1e-5)
        if panel.scale == "mask" and not re.search("mask|掩码|屏蔽", about):
            found.append(f"{figure.name}.{panel.key} is no mask")
        if panel.scale == "probability" and beyond.any():
            found.append(f"{figure.name}.{panel.key} goes beyond {low}…{high}")
    return found


def twice_named(figure: Figure) -> list[str]:
    """The formulas in which a letter is an index and a quantity: Σₖ qₖ kₖ."""
    assert isinstance(figure.picture, Board)
    drawn, given = figure.picture.panels, figure.picture.operands
    names = {panel.key: panel.symbol for panel in drawn} | {operand.key: operand.symbol for operand in given}
    found = []
    for panel in figure.picture.panels:
        for made in panel.made.formulas if isinstance(panel.made, Cases) else (panel.made,):
            if made is None:
                continue
            own = panel.symbol if isinstance(panel.symbol, str) else ""
            letters, quantities = indices_in(made), {own, *quantities_in(made, names)}
            found += [f"{figure.name}.{panel.key}: {letter}" for letter in letters & quantities]
    return found


def indices_in(made: Formula) -> set[str]:
    """The letters that its sums run over, and those of the row and the column."""
    own = {made.index.variable} if isinstance(made, Fold) else set()
    return {"i", "j"}.union(own, *map(indices_in, made.inner))


def quantities_in(made: Formula, names: Mapping[str, str | Sequence[str]]) -> set[str]:
    """What stands in it as a quantity: the symbols of its matrices, named numbers and steps, without their indices."""
    match made:
        case Cell(panel):
            said = names[panel] or panel
            own = {said} if isinstance(said, str) else set(said)
        case Number(_, name) | Named(name, _):
            own = {name}
        case _:
            own = set()
    return {re.split(r"[_^]", name)[0] for name in own}.union(*(quantities_in(part, names) for part in made.inner))


@pytest.mark.usefixtures("few_sequences")
@pytest.mark.parametrize(("chapter", "query"), LINKS)
def test_formulas_and_programs_give_the_numbers_of_every_figure(
    figures: Any, client: Any, chapter: str, query: str
) -> None:
    for figure in figures(chapter, query):
        if isinstance(figure.picture, Board):
            assert strangers(figure) == []
            assert twice_named(figure) == []
            found = furthest(figure.picture)
            assert found is None or found < 1e-5, (figure.name, found)
            board = client(json.dumps(payload(figure.picture.panels, operands=figure.picture.operands)))
            assert max(board["furthest"].values(), default=0) < 1e-5, (figure.name, board["furthest"])
            assert board["misread"] == [], figure.name
            assert board["faults"] == [], figure.name
        if figure.program:
            shown = computed(figure.program)
            assert shown.shape == figure.data.shape, figure.name
            np.testing.assert_allclose(shown, figure.data, atol=1e-5, rtol=1e-4, err_msg=figure.name)
