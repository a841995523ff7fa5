"""What was found in a reader's lines: the columns, a header, what is left out; and the choice of others."""

import streamlit as st

from transformer_core.tasks.own_pairs import LONGEST, LONGEST_TOKEN, MOST_TOKENS
from transformer_core.tasks.pair_lines import Look, Reason
from ui.chapters.training.recipe import COLUMNS, Recipe
from ui.figures.markup import Markup, element
from ui.own_pairs import SessionPairs
from ui.sections import AnyChapter, Chapter, controls

SIGNS = {"\t": "tab", ",": "comma", ";": "semicolon", "json": "json"}  # as the texts call them
USUAL = ("", "utf-8", "utf-8-sig")
LONG, SHORT = 60, 18  # letters of a cell, and of one in a menu
MOST = {"long": LONGEST, "long_token": LONGEST_TOKEN, "rare": MOST_TOKENS}


def preview(chapter: Chapter[Recipe], session_pairs: SessionPairs) -> None:
    """Nothing while no lines were read."""
    look = session_pairs.look
    if look is None:
        return
    say = chapter.say
    with st.container(border=True, gap="small", key="pairs-preview"):
        form = say(f"pairs.look.form.{SIGNS[look.form]}")
        chapter.write("pairs.look.read", lines=f"{look.lines:,}", width=look.width, form=form)
        if session_pairs.encoding not in USUAL:
            chapter.write("pairs.look.encoded", encoding=session_pairs.encoding.upper())
        if look.seed is not None:
            chapter.write("pairs.look.sample", seed=look.seed)
        st.html(_table(chapter, look))
        if not session_pairs.plain:
            _choices(chapter, look)
        _left_out(chapter, session_pairs.left, look)


def _choices(chapter: Chapter[Recipe], look: Look) -> None:
    names = [f"{at}: {_cut(cell, SHORT)}" for at, cell in enumerate(_row(look.head[0], look.width), 1)][:COLUMNS]
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        for name, found in zip(("source_column", "target_column"), look.columns):
            controls.named(chapter, name, [chapter.say("pairs.look.found", column=found), *names])
        if look.seed is not None:
            controls.number(chapter, "sample", width=112)
    if not look.named:
        controls.choose(chapter, "header")


def _table(chapter: AnyChapter, look: Look) -> Markup:
    taken = dict(zip(look.columns, (("source", "enc"), ("target", "dec"))))
    heads, cells = list[Markup](), list[Markup]()
    for at in range(1, look.width + 1):
        name, colour = taken.get(at, ("aside", "aside"))
        heads.append(element("th", chapter.say(f"pairs.look.{name}"), class_=colour, scope="col"))
    for line, kind in zip(look.head, look.kinds):
        row = [
            element("td", _cut(cell, LONG), class_="aside" if kind != "pair" or at not in taken else None, dir="auto")
            for at, cell in enumerate(_row(line, look.width), 1)
        ]
        said = chapter.say(f"pairs.look.{kind}")
        cells.append(element("tr", element("th", said, class_="aside", scope="row"), *row))
    head = element("tr", element("th", chapter.say("pairs.look.as"), class_="aside", scope="col"), *heads)
    return element("table", element("thead", head), element("tbody", *cells), class_="pairs-look")


def _left_out(chapter: AnyChapter, left: tuple[Reason, ...], look: Look) -> None:
    if not left:
        chapter.write("pairs.look.all" if look.seed is None else "pairs.look.none_left_out")
        return
    count = sum(one.lines for one in left)
    reasons = [
        chapter.say(
            f"pairs.look.why.{one.name}",
            count=f"{one.lines:,}",
            lines=", ".join(map(str, one.first)) + (" …" if one.lines > len(one.first) else ""),
            most=MOST.get(one.name, 0),
        )
        for one in left
    ]
    told = chapter.say("pairs.look.left_out", count=f"{count:,}", lines=f"{look.lines:,}")
    (st.warning if count * 2 > look.lines else st.info)("\n".join([told, "", *(f"- {one}" for one in reasons)]))


def _row(cells: tuple[str, ...], width: int) -> tuple[str, ...]:
    return (*cells, *[""] * width)[:width]


def _cut(cell: str, most: int) -> str:
    return cell if len(cell) <= most else f"{cell[: most - 1]}…"
