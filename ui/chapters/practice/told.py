"""An entry of the lab sheet in words: what was asked, what was answered, what it is worth, and why."""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from transformer_core.exercises.drawing.packed import FULL, PLACES, NotADrawing, unpacked
from transformer_core.exercises.faults.which_fault import FAULTS
from transformer_core.exercises.parsons import PUZZLES
from transformer_core.exercises.parsons.assembly import read, source
from transformer_core.exercises.parsons.judge import judge
from transformer_core.exercises.worksheet import TASKS
from transformer_core.labsheet.sheet import Claim, Entry, SheetTable
from ui.chapters.practice.boards import BOARDS
from ui.chapters.practice.mend import sentence
from ui.figures import Panel, number, percent
from ui.figures.markup import Markup, element
from ui.text import Words

SIGNS = {"right": "✓", "slip": "✗", "wrong": "✗", "unread": "?"}
_MARKS = re.compile(r"\*\*|(?<!\w)\*|\*(?!\w)|`|\$|<[^>]+>")  # of Markdown, and the HTML in it
HERE = "practice"


def title(entry: Entry, lang: str) -> str:
    say = Words(HERE, lang)
    if entry.kind == "question":
        chapter, _, name = entry.what.partition(" ")
        asks = Words(chapter, lang)
        return say("labsheet.question", chapter=asks("title"), question=plain(asks(f"{name}.question")))
    if entry.kind == "worksheet":
        task, _, seed = entry.what.partition(" ")
        return say("labsheet.worksheet", task=say(f"sheet_task_option.{task}"), seed=seed)
    if entry.kind == "mend":
        return say("labsheet.mend", puzzle=say(f"mend_puzzle_option.{entry.what}"))
    if entry.kind == "draw":
        task, _, seed = entry.what.partition(" ")
        return say("labsheet.draw", task=say(f"draw_task_option.{task}"), seed=seed)
    if entry.kind == "fault":
        return say("labsheet.fault", seed=entry.what)
    return f"{entry.kind} {entry.what}"


@lru_cache(maxsize=256)
def told(entry: Entry, lang: str) -> Markup:
    """All that is said of it below its title; kept, for the sheet is written anew after each note."""
    return TELLERS.get(entry.kind, _answers)(entry, Words(HERE, lang))


def keyed(entry: Entry, lang: str) -> Markup:
    """What is right, as an entry whose claims are so; nothing where it has none."""
    if entry.kind == "worksheet":
        return table((), [(claim.at, claim.reply) for claim in entry.claims])
    return told(entry._replace(first="", note="", tables=()), lang) if entry.claims else Markup()


def worth(claim: Claim, say: Words) -> str:
    return f"{SIGNS[claim.kind]} {say(f'labsheet.kind.{claim.kind}')}"


def plain(text: str) -> str:
    """A text of the app without its marks."""
    return _MARKS.sub("", text)


def _question(entry: Entry, here: Words) -> Markup:
    """The reply and what it shows; what was replied first."""
    chapter, _, name = entry.what.partition(" ")
    (claim,), say = entry.claims, Words(chapter, here.lang)

    def said(reply: str) -> str:
        option = f"{name}.option.{reply}"
        return plain(say(option)) if option in say else reply

    reply = element("p", element("b", said(claim.reply)), f" {worth(claim, here)}", class_=claim.kind)
    wrong = [f"{name}.wrong.{claim.cause}", claim.cause, f"{name}.wrong"]  # of a choice, of a slip, of any other number
    reasons = {"right": [f"{name}.right"], "unread": []}.get(claim.kind, wrong)
    reason = next((element("p", plain(say(key))) for key in reasons if key in say), "")
    first = element("p", here("labsheet.first", reply=said(entry.first))) if entry.first else ""
    shown = element("div", *map(_shown, entry.tables), class_="matrices") if entry.tables else ""
    return element("div", reply, reason, first, shown)


def _worksheet(entry: Entry, say: Words) -> Markup:
    """What was given, each blank with its reply, and each mistake once."""
    task, _, seed = entry.what.partition(" ")
    given = BOARDS[task].given(TASKS[task].exercise(int(seed)).givens, say)
    slips = dict.fromkeys(claim.cause for claim in entry.claims if claim.kind == "slip")
    reasons = [element("p", plain(say(f"sheet.{task}.slip.{slip}"))) for slip in slips]
    return element("div", matrices(given), _answers(entry, say), *reasons)


def _mend(entry: Entry, say: Words) -> Markup:
    """The function as it was put together, what is wrong with it, and how far it is from each law."""
    puzzle, (claim,) = PUZZLES[entry.what], entry.claims
    assembly = read(puzzle, claim.reply) or ()
    verdict = f"{SIGNS[claim.kind]} {plain(sentence(say, puzzle, assembly, judge(puzzle, assembly)))}"
    rows = [
        (plain(say(f"mend.law.{puzzle.name}.{law.name}")), number(error, 3), number(law.tolerance, 3))
        for law, error in zip(puzzle.laws, claim.numbers)
    ]
    heads = (say("mend.law"), say("mend.error"), say("mend.tolerance"))
    laws = table(heads, rows) if rows else ""
    code = element("pre", source(puzzle, assembly))
    return element("div", code, element("p", verdict, class_=claim.kind), laws)


def _draw(entry: Entry, say: Words) -> Markup:
    """The drawing, first and last, and how far off it is."""
    (claim,), task = entry.claims, entry.what.partition(" ")[0]
    (distance,) = claim.numbers
    off = say(f"draw.{task}.distance", distance=percent(distance, 0) if task == "row" else number(distance, 3))
    lines = [_line(text, name) for name, text in (("first", claim.first), ("drawn", claim.reply)) if text]
    svg = element("svg", *lines, viewBox="0 0 300 100", role="img", aria_label=title(entry, say.lang))
    return element("div", svg, element("p", f"{worth(claim, say)}. {off}", class_=claim.kind))


def _line(text: str, name: str) -> Markup:
    try:
        levels = unpacked(text, len(text) // PLACES)
    except NotADrawing:
        return Markup()
    step = 300 / max(1, len(levels) - 1)
    points = " ".join(f"{at * step:g},{100 * (1 - level / FULL):g}" for at, level in enumerate(levels))
    return element("polyline", points=points, class_=name)


def _fault(entry: Entry, say: Words) -> Markup:
    (claim,) = entry.claims
    named = element(
        "p", element("b", say(f"fault_named.option.{claim.reply}")), f" {worth(claim, say)}", class_=claim.kind
    )
    other = claim.first if claim.first in FAULTS and claim.first != claim.reply else ""
    first = element("p", say("labsheet.first", reply=say(f"fault_named.option.{other}"))) if other else ""
    return element("div", named, first)


def _answers(entry: Entry, say: Words) -> Markup:
    rows = [
        (
            claim.at, claim.reply, element("span", worth(claim, say), class_=claim.kind),
            " ".join(number(one, 3) for one in claim.numbers), claim.first if claim.first != claim.reply else "",
        )
        for claim in entry.claims
    ]  # fmt: skip
    heads = ("at", "reply", "worth", "number", "first")
    told = [at for at in range(len(heads)) if any(row[at] for row in rows)]
    return table([say(f"labsheet.column.{heads[at]}") for at in told], [[row[at] for at in told] for row in rows])


def _shown(one: SheetTable) -> Markup:
    named = len(one.columns) == max(map(len, one.rows), default=0)
    return table(("", *one.columns) if named else (), [("", *map(_cell, row)) for row in one.rows], one.title)


TELLERS: dict[str, Callable[[Entry, Words], Markup]] = {
    "question": _question,
    "worksheet": _worksheet,
    "mend": _mend,
    "draw": _draw,
    "fault": _fault,
}


def matrices(panels: Sequence[Panel]) -> Markup:
    """Each as a table of its numbers."""
    return element("div", *map(_matrix, panels), class_="matrices")


def _matrix(panel: Panel) -> Markup:
    columns = list(panel.col_labels) or [""] * panel.shape[1]
    labels = list(panel.row_labels) or [""] * panel.shape[0]
    rows = [(label, *map(_cell, row)) for label, row in zip(labels, panel.shown)]
    return table(("", *columns) if panel.col_labels else (), rows, panel.title)


def _cell(value: Any) -> str:
    return ("✓" if value else "–") if isinstance(value, bool | np.bool_) else number(float(value), 3)


def table(heads: Sequence[object], rows: Sequence[Sequence[object]], caption: str = "") -> Markup:
    head = element("thead", element("tr", *(element("th", one, scope="col") for one in heads))) if heads else ""
    body = (element("tr", element("th", first, scope="row"), *(element("td", one) for one in others))
            for first, *others in rows)  # fmt: skip
    return element("table", element("caption", caption) if caption else "", head, element("tbody", *body))
