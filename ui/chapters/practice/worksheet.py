"""The worksheet: six parts of the model to work out by hand, with numbers of the reader's own."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

import streamlit as st

from transformer_core.exercises.worksheet import TASKS
from transformer_core.exercises.worksheet.exercise import SEEDS, Exercise
from ui.chapters.practice.boards import BOARDS
from ui.classroom import membership
from ui.figures import Board, Figure
from ui.frame.labsheet_entries import gather
from ui.sections import Chapter, Frame, Quantity, Section, controls, predict, show
from ui.sections.exercise import Exercised, exercise
from ui.sections.prediction import for_the_class
from ui.settings.fields import CellSetting, by_click, cell, choice, whole


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


GIVEN = ("sheet_task", "sheet_seed")


class Worksheet(OneBlankSettings):
    sheet_cell: CellSetting = cell()


@Section("worksheet", settings=Worksheet, look="lead", lesson=(BLANK,), given=GIVEN)
def worksheet(chapter: Chapter[Worksheet]) -> None:
    stop = chapter.frame.at  # whose sheet it is
    task = chapter.settings.sheet_task if stop else controls.choose(chapter, "sheet_task")
    above = chapter.figure_first()
    found, name = numbers(task, chapter.settings.sheet_seed), f"sheet.{task}"
    with st.container(key="sheet"):
        chapter.write(f"{name}.text", **BOARDS[task].said(found.givens))
        told = asked_alone(chapter)
        if told is None:
            told = exercise(chapter, name, found.blanks)
            _gather(chapter, task)
    offer(chapter)
    show(above, _figure(chapter, task, found, told=told))
    if not stop:
        _other_numbers(chapter)
        chapter.write("sheet.text")


def _gather(chapter: Chapter[Worksheet], task: str) -> None:
    settings = chapter.settings
    if settings.sheet_replies:
        replies = {"sheet_task": task, "sheet_seed": str(settings.sheet_seed)}
        replies |= {"sheet_replies": settings.sheet_replies, "sheet_first": settings.sheet_first}
        gather(chapter, "worksheet", f"{task} {settings.sheet_seed}", replies)


def _figure(chapter: Chapter[Worksheet], task: str, found: Exercise[Any], *, told: bool) -> Figure:
    """What is given; and, once it is told, all that follows from it, with the sum of each number."""
    of = BOARDS[task]
    panels = of.given(found.givens, chapter.say) + (of.steps(found.givens) if told else [])
    return Figure(
        "sheet",
        Board(panels, result=of.result if told else panels[0].key),
        f"{of.origin if told else of.names} · seed {found.seed}",
        code=of.code if told else (),
        program=of.program(found.givens) if told else "",
        alt=chapter.say(f"sheet.{task}.alt"),
    )


def _other_numbers(chapter: Chapter[Worksheet]) -> None:
    refusals: list[str] = []
    with st.container(horizontal=True, vertical_alignment="bottom"):
        controls.number(chapter, "sheet_seed", width=160, refusals=refusals)
        if not chapter.hides("sheet_seed"):
            st.button(
                chapter.say("sheet.others"), icon=":material/casino:", key="practice.sheet.others",
                on_click=chapter.then(_next), args=(chapter,),
            )  # fmt: skip
        controls.toggle(chapter, "sheet_key")
    for refusal in refusals:
        st.warning(refusal)


def _next(chapter: Chapter[Worksheet]) -> None:
    chapter.put("sheet_seed", chapter.settings.sheet_seed % SEEDS + 1)
    chapter.put("sheet_key", False)
