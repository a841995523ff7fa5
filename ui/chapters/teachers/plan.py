"""How long the stops of a lesson take, and a class hour made of them."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import streamlit as st

from ui import state
from ui.chapters.teachers.links import on_the_projector
from ui.sections import AnyChapter, Section
from ui.settings.chapters import MAP

# Of each stop: to look, to reply to its question, and to talk about it.
MINUTES: dict[str, tuple[int, ...]] = {
    "attention": (2, 1, 2, 2, 3),
    "masks": (2, 2, 1, 2, 3),
    "scale": (2, 2, 2, 2, 2),
    "order": (3, 2, 1, 2, 2),
    "training": (1, 1, 4, 2, 2),
    "hand": (2, 3, 2, 1, 2),
    "doing": (2, 2, 2, 2, 2),
    "later": (3, 2, 2, 1, 2),
}
# The hour: parts of lessons by the numbers of their stops; what stands before and after them takes minutes of its own.
HOUR: dict[str, tuple[int, ...]] = {
    "attention": (1, 2, 3, 4, 5),
    "masks": (1, 3, 4, 5),
    "scale": (1, 2, 3),
    "order": (1, 2, 5),
    "training": (3, 4, 5),
}
OPENING, CLOSING = 3, 3


class Part(NamedTuple):
    """From one minute of the hour to another: a lesson's stops, or what the class begins and ends with."""

    name: str
    begins: int
    ends: int
    stops: tuple[int, ...] = ()


def hour() -> Iterator[Part]:
    lengths = {lesson: sum(MINUTES[lesson][stop - 1] for stop in stops) for lesson, stops in HOUR.items()}
    at = 0
    for name, minutes in {"opening": OPENING, **lengths, "closing": CLOSING}.items():
        yield Part(name, at, at + minutes, HOUR.get(name, ()))
        at += minutes


def plan(chapter: AnyChapter) -> None:
    say = chapter.say
    rows = [(say("plan.minutes"), say("plan.part"), say("plan.class")), ("---",) * 3]
    for part in hour():
        if part.stops:
            begin = on_the_projector(chapter, part.name, part.stops[0])
            stops = say("plan.stops", stops=chapter.shell("comma").join(map(str, part.stops)))
            shown = f"[{say(f'{part.name}.title')}]({begin})<br>{stops}"
        else:
            shown = f"[{say(f'plan.{part.name}')}]({state.link_to(MAP, {'lang': chapter.lang})})"
        rows.append((f"{part.begins}–{part.ends}", shown, say(f"plan.does.{part.name}")))
    with st.container(key="plan"):
        st.markdown("\n".join(f"| {' | '.join(row)} |" for row in rows), unsafe_allow_html=True)


PLAN: Section[Any] = Section("plan", plan, look="open", text="text")
