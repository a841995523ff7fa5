"""An exercise on the page: a field for each number it asks, all judged at once, each slip named by its cause. What the
reader answers first stays beside what is right."""

from collections.abc import Sequence
from itertools import groupby
from typing import Any, NamedTuple

import streamlit as st

from transformer_core.exercises.reply import LONGEST, ReplyVerdict, packed, unpacked
from transformer_core.exercises.worksheet.exercise import SEEDS, Blank
from ui import state
from ui.figures.markup import Markup, element
from ui.figures.number import number
from ui.frame.chapter import Chapter
from ui.sections.prediction import unread
from ui.settings.fields import Settings, flag, replies, whole

MARKS = {"empty": "", "unread": "?", "right": "✓", "slip": "✗", "wrong": "✗"}


class Exercised(Settings):
    """Of a section with an exercise: the seed of its numbers, the replies to it, by their places, and its key."""

    sheet_seed: int = whole(1, 1, SEEDS)
    sheet_replies: str = replies()
    sheet_first: str = replies()
    sheet_key: bool = flag(False)


class Field(NamedTuple):
    blank: Blank
    key: str  # of its widget
    reply: str
    first: str  # what was replied first
    verdict: ReplyVerdict


def exercise(chapter: Chapter[Exercised], name: str, blanks: Sequence[Blank]) -> bool:
    """Ask for the `blanks`, row by row. True once all are right, or the key is told.

    Of the texts below `name`, `row.<row>` is the title of a row and `slip.<slip>` explains a mistake.
    """
    of = f"{chapter.name}.{name}.{chapter.settings.sheet_seed}"
    take_up(chapter, of, "sheet_replies", "sheet_first")
    settings = chapter.settings
    given, first = (unpacked(text, len(blanks)) for text in (settings.sheet_replies, settings.sheet_first))
    fields = [
        Field(blank, f"{of}.{at}", reply, first[at], blank.judged(reply))
        for at, (blank, reply) in enumerate(zip(blanks, given))
    ]
    own = state.is_given(chapter.name, "sheet_replies")
    rows = [(chapter.say(f"{name}.row.{row}"), list(some)) for row, some in groupby(fields, lambda one: one.blank.row)]
    with st.container(key=f"exercise-{chapter.name}"), st.form(f"{of}.form", border=False):
        with st.container(key=f"rows-{chapter.name}"):
            for title, some in rows:
                _row(chapter, title, some, own=own)
        st.form_submit_button(
            chapter.shell("exercise.check"), type="primary", icon=":material/done_all:",
            key=f"{of}.check", on_click=chapter.then(_check, "sheet_replies"),
            args=(chapter, [one.key for one in fields], own),
        )  # fmt: skip
    if own:
        _judge(chapter, name, fields)
    elif settings.sheet_replies:
        st.info(chapter.shell("exercise.linked"))
    st.html(_on_paper(rows, told=settings.sheet_key))
    return settings.sheet_key or all(one.verdict.kind == "right" for one in fields)


def take_up(chapter: Chapter[Any], of: str, *names: str) -> None:
    """The replies to another exercise, which are the settings of these `names`, are laid aside, and those `of` this one
    taken up, if there were any."""
    anew = state.changed(f"{chapter.name}.{names[0]}.of", of)
    for name in names:
        if anew:
            chapter.put(name, state.recall(f"{of}.{name}") or "")
        state.remember(f"{of}.{name}", getattr(chapter.settings, name))


def _check(chapter: Chapter[Exercised], keys: Sequence[str], own: bool) -> None:
    given = [str(state.picked(key) or "").strip() for key in keys]
    before = unpacked(chapter.settings.sheet_first if own else "", len(keys))
    chapter.put("sheet_replies", packed(given))
    chapter.put("sheet_first", packed(old or new for old, new in zip(before, given)))
    state.give(chapter.name, "sheet_replies")


def _row(chapter: Chapter[Exercised], title: str, fields: Sequence[Field], *, own: bool) -> None:
    with st.container(gap="xsmall"):
        st.markdown(f"**{title}**")
        with st.container(horizontal=True, gap="xsmall"):
            for one in fields:
                with st.container(width=100, gap="xsmall"):
                    st.text_input(one.blank.place, one.reply, LONGEST, state.prepare(one.key, one.reply))
                    st.html(_mark(chapter, one, own=own))


def _mark(chapter: Chapter[Exercised], one: Field, *, own: bool) -> Markup:
    """What a reply is worth, and beside a number that is known by now what was replied first."""
    key = chapter.settings.sheet_key
    parts = [MARKS[one.verdict.kind] if own else "", f"= {number(one.blank.right, 3)}" if key else ""]
    if own and one.first not in ("", one.reply) and (key or one.verdict.kind == "right"):
        parts.append(chapter.shell("exercise.first", reply=one.first))
    return element("div", " ".join(filter(None, parts)), class_=f"verdict {one.verdict.kind if own else 'empty'}")


def _judge(chapter: Chapter[Exercised], name: str, fields: Sequence[Field]) -> None:
    """How many are right; of each mistake where it was made, and what it is."""
    shell, say = chapter.shell, chapter.say
    counts = {kind: [one for one in fields if one.verdict.kind == kind] for kind in MARKS}
    if len(counts["empty"]) == len(fields):
        return
    if len(counts["right"]) == len(fields):
        st.success(shell("exercise.done"), icon=":material/check:")
        return
    st.markdown(shell("exercise.score", right=len(counts["right"]), blanks=len(fields)))
    for one in counts["unread"]:
        st.warning(f"**{one.blank.place}** {unread(chapter.lang, one.verdict, one.reply)}")
    places: dict[str, list[str]] = {}
    for one in (*counts["slip"], *counts["wrong"]):
        cause = one.verdict.cause
        places.setdefault(say(f"{name}.slip.{cause}") if cause else shell("exercise.wrong"), []).append(one.blank.place)
    for sentence, some in places.items():
        st.error(f"**{', '.join(some)}** {sentence}", icon=":material/close:")


def _on_paper(rows: Sequence[tuple[str, Sequence[Field]]], *, told: bool) -> Markup:
    """The same blanks to be filled by hand, or with their key: seen only when the page is printed."""
    lines = [
        element(
            "div", element("p", title), *(_blank(one.blank, told=told) for one in fields), class_="sheet-row"
        )
        for title, fields in rows
    ]  # fmt: skip
    return element("div", *lines, class_="sheet-paper")


def _blank(blank: Blank, *, told: bool) -> Markup:
    return element("span", f"{blank.place} = ", element("b", number(blank.right, 3) if told else ""), class_="blank")
