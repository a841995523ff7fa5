"""Draw a curve or a row of attention, then let the model compute it: how far off, and by what."""

from collections.abc import Mapping
from contextlib import nullcontext, suppress
from functools import partial
from typing import Any

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from transformer_core.exercises.drawing.packed import FULL, NotADrawing, checked, even, packed, unpacked
from transformer_core.exercises.drawing.verdict import DrawingVerdict
from transformer_core.exercises.worksheet.exercise import SEEDS
from transformer_core.labsheet.judges import drawing as claim_of_drawing
from ui import state
from ui.chapters.practice.drawing.asked import ALONE, DIGITS, DRAWN, DrawingTask, DrawSettings, Task, how_near
from ui.chapters.practice.drawing.curves import rate_asked, wave_asked
from ui.chapters.practice.drawing.loss import loss_asked, own_run
from ui.chapters.practice.drawing.row import row_asked
from ui.classroom import membership
from ui.classroom.rooms import RoomView
from ui.figures import Drawing, Figure, number, percent
from ui.figures.markup import Markup
from ui.frame.labsheet_entries import gather
from ui.sections import AnyChapter, Chapter, Frame, Section, controls, show
from ui.sections.exercise import take_up
from ui.sections.prediction import for_the_class, tell

ASKING: Mapping[str, Task] = {"row": row_asked, "wave": wave_asked, "rate": rate_asked, "loss": loss_asked}
TRIES = 20  # seeds; two in a row may ask for the same
WORDS = ("drawn", "first", "hint", "both")

Levels = tuple[int, ...]


@Section("draw", settings=DrawSettings, reads=(Frame,), text="text", lesson=(DRAWN,))
def drawing(chapter: Chapter[DrawSettings]) -> None:
    """The question and the sheet; once it is run, the truth over the drawing while that stands as it stood then."""
    stop = chapter.frame.at  # whose sheet it is
    task = chapter.settings.draw_task if stop else controls.choose(chapter, "draw_task")
    asked = ASKING[task](chapter)
    if asked is not None:
        key = f"predict-{chapter.name}-{DRAWN.name}"
        box = st.container(key=key, border=True, gap="xsmall") if stop else None
        with box or nullcontext():
            for goal in asked.goals:
                chapter.write(goal.key, **goal.values)
        _draw(chapter, task, asked, box)
    if not stop:
        _others(chapter, task, asked)


def _draw(chapter: Chapter[DrawSettings], task: str, asked: DrawingTask, box: DeltaGenerator | None) -> None:
    """The sheet, with its buttons below it or in the `box` of what is asked. What a class draws is handed in first."""
    take_up(chapter, asked.sheet.name, "drawn", "drawn_run", "drawn_first")
    settings, seen, waits = chapter.settings, *_in_class(chapter)
    levels, first = _read(chapter, asked, settings.drawn), _read(chapter, asked, settings.drawn_first, told=False)
    above = st.container()
    with box or st.container(horizontal=True):
        if not (waits and seen and seen.teaches):
            name = "hand_in" if waits else "run"
            _button(chapter, name, partial(_run, chapter, asked), primary=True, disabled=not levels)
            _button(chapter, "again", partial(_again, chapter), disabled=not levels)
        if box is None and task not in ALONE:
            for_the_class(chapter, DRAWN.of(settings, chapter.frame))
    run = bool(levels) and settings.drawn_run == settings.drawn and not waits
    told = chapter.frame.slide == "answer" or (seen and seen.teaches and not waits)
    truth = asked.truth() if run or told else None
    with above:
        _show(chapter, task, asked, levels, first if truth is not None and first != levels else (), truth)
    if truth is not None and run:
        _tell(chapter, task, asked, levels, first, truth)
        for draw in asked.beside:
            draw()


def _in_class(chapter: Chapter[DrawSettings]) -> tuple[RoomView | None, bool]:
    """The room, if it asks for this very drawing, and whether that is still to be told."""
    asked = DRAWN.of(chapter.settings, chapter.frame)
    seen = membership.asks(chapter.frame, chapter.name, asked.name, asked.said)
    return seen, bool(seen and seen.phase != "told")


def _read(chapter: Chapter[DrawSettings], asked: DrawingTask, text: str, *, told: bool = True) -> Levels:
    """The drawing that a text says, or none after saying why it is none."""
    try:
        return unpacked(text, len(asked.x), shared=asked.sheet.shared) if text else ()
    except NotADrawing as no:
        if told:
            found, wanted = (f"{count / FULL:.1%}" if no.reason == "sum" else count for count in (no.found, no.wanted))
            st.warning(chapter.say(f"draw.refused.{no.reason}", found=found, wanted=wanted))
        return ()


def _show(
    chapter: Chapter[DrawSettings],
    task: str,
    asked: DrawingTask,
    levels: Levels,
    first: Levels,
    truth: np.ndarray | None,
) -> None:
    say, sheet = chapter.say, asked.sheet
    blank = even(len(asked.x)) if sheet.shared else (FULL // 2,) * len(asked.x)
    words = {word: say(f"draw.sheet.{word}") for word in WORDS} | {"truth": say(f"draw.{task}.truth")}
    message = sheet.message(blank, levels, first, truth, say(f"draw.{task}.alt"), words)
    drawn = asked.values(levels or blank)
    known = [asked.x, drawn] + ([] if truth is None else [truth])
    names = [sheet.x, words["drawn"], words["truth"]]

    def placed(said: object) -> None:
        with suppress(NotADrawing):  # which no browser would send
            chapter.put("drawn", packed(checked(said, len(asked.x), shared=sheet.shared)))

    figure = Figure(
        "drawing",
        Drawing(Markup(), "sheet", message),
        asked.origin,
        numbers=np.stack(known, axis=1),
        columns=names[: len(known)],
        code=() if truth is None else asked.code,
        program="" if truth is None else asked.with_drawing(drawn),
    )
    show(chapter, figure, on_pick=chapter.then(placed))


def _tell(
    chapter: Chapter[DrawSettings], task: str, asked: DrawingTask, levels: Levels, first: Levels, truth: np.ndarray
) -> None:
    """How far off, by what; and how far the first drawing was."""
    say, verdict = chapter.say, asked.judged(asked.values(levels), truth)
    key, own = "right" if verdict.right else "wrong", state.is_given(chapter.name, "drawn_run")
    tell(chapter, say(f"draw.{key}", distance=_distance(chapter, task, verdict)), right=verdict.right, own=own)
    for cause in verdict.causes:
        chapter.write(f"draw.{task}.cause.{cause.name}", **asked.said(cause))
    if own and first and first != levels:
        before = asked.judged(asked.values(first), truth)
        chapter.write("draw.first", told=_distance(chapter, task, before))
    _gather(chapter, task, verdict)


def _gather(chapter: Chapter[DrawSettings], task: str, verdict: DrawingVerdict) -> None:
    """For the lab sheet; but for the loss of a run that only this reader has."""
    if not chapter.settings.draw_own:
        seed, names = str(chapter.settings.draw_seed), ("drawn", "drawn_run", "drawn_first")
        replies = {name: str(getattr(chapter.settings, name)) for name in names}
        claim = claim_of_drawing(task, replies["drawn_run"], replies["drawn_first"], verdict)
        gather(chapter, "draw", f"{task} {seed}", {"draw_task": task, "draw_seed": seed, **replies}, (claim,))


def _distance(chapter: AnyChapter, task: str, verdict: DrawingVerdict) -> str:
    written = percent(verdict.distance, 0) if task == "row" else number(verdict.distance, DIGITS)
    return chapter.say(f"draw.{task}.distance", distance=written)


def _button(
    chapter: Chapter[DrawSettings],
    name: str,
    act: Any,
    *,
    primary: bool = False,
    disabled: bool = False,
    icon: str = "",
) -> None:
    st.button(
        chapter.say(f"draw.{name}"),
        key=f"{chapter.name}.draw.{name}",
        type="primary" if primary else "secondary",
        icon=icon or None,
        disabled=disabled,
        on_click=chapter.then(act),
    )


def _run(chapter: Chapter[DrawSettings], asked: DrawingTask) -> None:
    drawn = chapter.settings.drawn
    if not (chapter.settings.drawn_first and state.is_given(chapter.name, "drawn_run")):
        chapter.put("drawn_first", drawn)
    chapter.put("drawn_run", drawn)
    state.give(chapter.name, "drawn_run")
    seen, waits = _in_class(chapter)
    truth = asked.truth() if seen and waits else None
    if seen and truth is not None:
        levels = unpacked(drawn, len(asked.x), shared=asked.sheet.shared)
        membership.reply(seen, how_near(asked.judged(asked.values(levels), truth), asked.near))
    if asked.begins:
        asked.begins()


def _again(chapter: Chapter[DrawSettings]) -> None:
    """A blank sheet; what was drawn first stays."""
    for name in ("drawn", "drawn_run"):
        chapter.put(name, "")


def _others(chapter: Chapter[DrawSettings], task: str, asked: DrawingTask | None) -> None:
    """The same question with other numbers; of losses, that of a run of the reader's own."""
    refusals: list[str] = []
    own = task == "loss" and chapter.settings.draw_own
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if not own:
            controls.number(chapter, "draw_seed", width=160, refusals=refusals)
            if not chapter.hides("draw_seed"):
                _button(chapter, "others", partial(_next, chapter, task, asked), icon=":material/casino:")
        if task == "loss" and (own or own_run() is not None):
            name = "recipe" if own else "own"
            _button(chapter, name, partial(chapter.put, "draw_own", not own), icon=":material/model_training:")
    for refusal in refusals:
        st.warning(refusal)


def _next(chapter: Chapter[DrawSettings], task: str, asked: DrawingTask | None) -> None:
    """The next seed that asks for something else."""
    for _ in range(TRIES):
        chapter.put("draw_seed", chapter.settings.draw_seed % SEEDS + 1)
        other = ASKING[task](chapter) if asked else None
        if asked is None or other is None or other.sheet.name != asked.sheet.name:
            return
