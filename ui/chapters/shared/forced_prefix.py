"""What the reader puts in the model's mouth: the words that the output begins with."""

from collections.abc import Callable, Sequence

import streamlit as st

from ui.components.matrix import LabelClick
from ui.inputs.sequence import NotASequence, tokens
from ui.inputs.typed_numbers import Mistyped
from ui.sections import AnyChapter, Chapter, controls
from ui.sections.lecture import Step
from ui.sections.sequence_fields import offer_near, typed
from ui.settings.fields import Settings, formerly, text

OWN = "✎"  # marks what the reader has put there
Tokens = tuple[int, ...]


class ForcedPrefix(Settings):
    prefix: str = formerly("begun", text("", 200))  # after the start symbol, whatever the model would say


class TooLong(Mistyped):
    """Its key is that of a text in `shell.toml`."""


def prefix_of(chapter: AnyChapter, src: Tokens) -> Tokens:
    """The tokens that the output begins with, after its start symbol; () if there are none, or what stands there is
    wrong."""
    try:
        return _read(chapter.of(ForcedPrefix), src)
    except (NotASequence, TooLong):
        return ()


def prefix_field(chapter: Chapter[ForcedPrefix], src: Tokens) -> None:
    """The field for them, what is wrong with them, and the way back to the model's own words."""
    shell = chapter.shell
    controls.text(chapter, "prefix")
    try:
        _read(chapter, src)
    except (NotASequence, TooLong) as problem:
        st.warning(shell(problem.key, **problem.values))
        if isinstance(problem, NotASequence):
            offer_near(chapter, "prefix", chapter.at_hand.target)
    if chapter.settings.prefix.strip() and not chapter.hides("prefix"):
        st.button(
            shell("prefix_reset"),
            key=f"{chapter.name}.reset",
            icon=":material/undo:",
            type="tertiary",
            on_click=chapter.then(chapter.put),
            args=("prefix", ""),
        )


def at_a_press(
    chapter: Chapter[ForcedPrefix], tokens: Sequence[int], before: Sequence[int], own: Callable[[], Sequence[int]]
) -> Callable[[LabelClick], None]:
    """What the name of a column does that stands for one of the `tokens`: the output goes on with it after those
    written `before`. `own` gives what the model says by itself."""

    def go_on(label: LabelClick) -> None:
        if label.axis == "column" and label.index < len(tokens):
            now, named = [*before, tokens[label.index]], chapter.at_hand.target.every
            prefix = "" if now == list(own()[: len(now)]) else " ".join(named[each] for each in now)
            chapter.put("prefix", prefix)

    return chapter.then(go_on)


def by_turns(turns: Callable[[AnyChapter, Tokens], Sequence[object]]) -> Step:
    """On or back by a turn of the source's output, no further than it begins and ends."""

    def step(chapter: AnyChapter, by: int) -> bool:
        to, src = chapter.settings.turn + by, typed(chapter, "src")
        there = len(src) > 1 and 1 <= to <= len(turns(chapter, src))
        if there:
            chapter.put("turn", to)
        return there

    return step


def _read(chapter: Chapter[ForcedPrefix], src: Tokens) -> Tokens:
    begun, at_hand = chapter.settings.prefix, chapter.at_hand
    if not begun.strip():
        return ()
    read, room = tokens(begun, at_hand.target, 10_000), at_hand.most(src) - 1
    if len(read) > room:
        raise TooLong("prefix_long", length=len(read), room=room)
    return read
