"""One blank of a worksheet as a question: at a stop of a lesson, or to a class, whose slips are counted by cause."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

from transformer_core.exercises.worksheet import TASKS
from transformer_core.exercises.worksheet.exercise import Exercise
from ui.classroom import membership
from ui.sections import Chapter, Frame, Quantity, controls, predict
from ui.sections.exercise import Exercised
from ui.sections.prediction import for_the_class
from ui.settings.fields import by_click, choice, whole


class OneBlankSettings(Exercised):
    sheet_task: str = choice("attention", *TASKS)
    sheet_blank: int = by_click(whole(0, 0, 59))  # which blank is asked alone, counted from 0


@lru_cache(maxsize=256)
def numbers(task: str, seed: int) -> Exercise[Any]:
    return TASKS[task].exercise(seed)


@dataclass(frozen=True)
class OneBlank(Quantity):
    """The number of the blank that the settings name; the last one, where they count further."""

    in_section: ClassVar[bool] = True

    def of(self, settings: OneBlankSettings, frame: Frame) -> Quantity:
        task, seed = settings.sheet_task, settings.sheet_seed
        blanks = numbers(task, seed).blanks
        blank = blanks[min(settings.sheet_blank, len(blanks) - 1)]
        slips = {f"sheet.{task}.slip.{slip}": number for slip, number in blank.slips.items()}
        return OneBlank(self.name, blank.right, slips, blank.tolerance, {"place": blank.place, "seed": str(seed)})


BLANK = OneBlank("ask_blank", 0.0)


def asked_alone(chapter: Chapter[OneBlankSettings]) -> bool | None:
    """Whether the answer is told, where one blank is asked at a stop, or of a class; else None."""
    stop, asked = chapter.frame.at, BLANK.of(chapter.settings, chapter.frame)
    if (stop and stop.question == BLANK.name) or membership.asks(chapter.frame, chapter.name, BLANK.name, asked.said):
        return predict(chapter, asked)
    return None


def offer(chapter: Chapter[OneBlankSettings]) -> None:
    """For who has opened a room: which blank the class is to be asked."""
    if membership.taught(chapter.frame) and not chapter.frame.at:
        blanks = numbers(chapter.settings.sheet_task, chapter.settings.sheet_seed).blanks
        controls.named(chapter, "sheet_blank", [blank.place for blank in blanks])
        for_the_class(chapter, BLANK.of(chapter.settings, chapter.frame))
