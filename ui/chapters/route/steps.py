"""The steps of each document: what to see, the link to it, what is printed there beside ours, and corrections."""

from functools import partial
from typing import Any

import streamlit as st

from ui import state
from ui.chapters import contents
from ui.chapters.route import progress
from ui.chapters.route.numbers import agrees, computed
from ui.frame.menu import title
from ui.frame.menu_links import document_title
from ui.sections import AnyChapter, Section
from ui.settings.chapters import CHAPTERS, MAP
from ui.settings.route import DOCUMENTS, PARTS, STEPS, RouteStep, steps_of
from ui.text import Words


def overview(chapter: AnyChapter) -> None:
    """How far the reader is, in all and in each document."""
    say = chapter.say
    st.progress(progress.count(STEPS) / len(STEPS), say("progress", done=progress.count(STEPS), all=len(STEPS)))
    lines = [
        f"{number}. {_counted(chapter, part)}  \n{say(f'{part}.text')}" for number, part in enumerate(DOCUMENTS, 1)
    ]
    st.markdown("\n".join(lines))
    st.caption(say("kept"))


def _counted(chapter: AnyChapter, part: str) -> str:
    named, of = document_title(part, chapter.lang), steps_of(part)
    return chapter.say("of_document", title=named, done=progress.count(of), all=len(of))


def steps(chapter: AnyChapter, part: str) -> None:
    if part not in DOCUMENTS:
        chapter.write(f"{part}.text")
    for step in steps_of(part):
        _step(chapter, step)


def _step(chapter: AnyChapter, step: RouteStep) -> None:
    say = chapter.say
    key = state.prepare(f"route.{step.name}.done", step.name in progress.done())
    st.checkbox(f"**{step.at(chapter.lang)}**", key=key, on_change=progress.turn, args=(step.name,))
    lines = [f"{step.see(chapter.lang)} {place(chapter, step)}"]
    if step.corrected:
        lines.append(say("correction", text=step.correction(chapter.lang)))
    with st.container(key=f"route-{step.name}"):
        st.markdown("\n\n".join(lines))
        if step.printed:
            _numbers(chapter, step)


def place(chapter: AnyChapter, step: RouteStep) -> str:
    if not is_there(step):
        return chapter.say("away", what=f"{step.chapter}: {step.section}")
    said = {"chapter": title(step.chapter, chapter.lang)}
    if step.title:
        said["section"] = Words(step.chapter, chapter.lang)(step.title)
    return f"[{chapter.say('open_section' if step.title else 'open', **said)}]({step.link(chapter.lang)})"


def is_there(step: RouteStep) -> bool:
    """Whether the app has what the step leads to."""
    if step.chapter not in (MAP, *CHAPTERS):
        return False
    return any(section.name == step.section for section in contents(step.chapter).every)


def _numbers(chapter: AnyChapter, step: RouteStep) -> None:
    """What the document prints beside the same computed here; numbers that differ are bold."""
    say = chapter.say
    rows = [[say(f"number.{name}") for name in ("what", "theirs", "ours")], ["---"] * 3]
    for what, theirs, name in step.printed:
        ours = computed(name)
        rows.append([f"`{what}`", theirs, ours if agrees(theirs, ours) else f"**{ours}**"])
    st.markdown("\n".join(f"| {' | '.join(row)} |" for row in rows))


OF_EACH: tuple[Section[Any], ...] = tuple(Section(part, partial(steps, part=part)) for part in PARTS)
OVERVIEW: Section[Any] = Section("overview", overview, look="lead", whole=True)
