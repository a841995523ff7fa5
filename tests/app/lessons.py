"""What a class sees at a stop of a lesson, and the claims that are held to it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.app.boards import payload
from ui.chapters.teachers.stops import question_of
from ui.figures.board import Panel
from ui.figures.figure import Board, Figure
from ui.sections.question import Choice, Quantity
from ui.settings.lessons import LessonStop

# By which a number is larger than one that is said to be smaller: last bits do not change what is said.
MARGIN = 0.05


@dataclass(frozen=True)
class Seen:
    """A stop as its class sees it once the answer is told."""

    stop: LessonStop
    figures: Mapping[str, Figure]
    app: Any

    @property
    def question(self) -> Choice | Quantity:
        return question_of(self.stop)

    def panel(self, figure: str, name: str) -> Panel:
        picture = self.figures[figure].picture
        assert isinstance(picture, Board)
        (found,) = [panel for panel in picture.panels if panel.key == name]
        return found

    def of(self, figure: str, *names: str) -> list[np.ndarray]:
        return [np.asarray(self.panel(figure, name).shown, dtype=float) for name in names]

    def truth(self) -> np.ndarray:
        return np.array(payload(self.app, "practice.drawing")["truth"])


CLAIMS: dict[tuple[str, int], Callable[[Seen], None]] = {}


def of(lesson: str, stop: int) -> Callable[[Callable[[Seen], None]], Callable[[Seen], None]]:
    def named(claim: Callable[[Seen], None]) -> Callable[[Seen], None]:
        CLAIMS[lesson, stop] = claim
        return claim

    return named
