"""The worksheet: six parts of the model to work out by hand, with numbers of the reader's own."""

from typing import Any

import streamlit as st

from transformer_core.exercises.worksheet.exercise import SEEDS, Exercise
from ui.chapters.practice.boards import BOARDS
from ui.chapters.practice.one_blank import BLANK, OneBlankSettings, asked_alone, numbers, offer
from ui.figures import Board, Figure
from ui.frame.labsheet_entries import gather
from ui.sections import Chapter, Section, controls, show
from ui.sections.exercise import exercise
from ui.settings.fields import CellSetting, cell

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
