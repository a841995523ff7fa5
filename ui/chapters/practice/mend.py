"""Functions of the core as mixed-up lines among lines from real bugs: put together by the reader, judged by laws."""

from collections.abc import Callable

import numpy as np
import streamlit as st

from transformer_core.exercises.parsons import PUZZLES
from transformer_core.exercises.parsons.assembly import Assembly, checked, read, written
from transformer_core.exercises.parsons.judge import PuzzleVerdict, judge
from transformer_core.exercises.parsons.puzzle import Distractor, Puzzle
from ui import state
from ui.components.drawings import mend as bench
from ui.figures import Drawing, Figure, number
from ui.figures.markup import Markup, element
from ui.frame.labsheet_entries import gather
from ui.sections import AnyChapter, Chapter, Choice, Section, controls, provenance, show
from ui.sections.prediction import tell
from ui.settings.fields import Settings, by_click, choice, replies, whole
from ui.text import Typed, Words

WORDS = ("program", "pool", "empty", "hint", "less", "more", "line", "at", "out")
MIXES = 999
DIGITS = 3
# Which law a line from a bug breaks first the core says.
LATE = PUZZLES["attention"].every[PUZZLES["attention"].place("late")]
assert isinstance(LATE, Distractor)
ASK_LATE = Choice("ask_late", ("shape", "nothing", "rows"), right=LATE.law, about_figure=True)


class Mend(Settings):
    """Assemblies as they are `written`: the one on the bench, the one that was judged last, the one judged first."""

    mend_puzzle: str = choice("attention", *PUZZLES)
    mend_mix: int = by_click(whole(0, 0, MIXES))
    mend_order: str = replies()
    mend_judged: str = replies()
    mend_first: str = replies()


@Section("mend", settings=Mend, text="text", lesson=(ASK_LATE,), given=("mend_puzzle",))
def mended(chapter: Chapter[Mend]) -> None:
    """The question and the bench; below it the verdict that was asked for, while the lines stand as they stood then."""
    say = chapter.say
    puzzle = PUZZLES[controls.choose(chapter, "mend_puzzle", on_change=lambda: _anew(chapter))]
    chapter.write(f"mend.goal.{puzzle.name}")
    settings = chapter.settings
    assembly = read(puzzle, settings.mend_order) or ()
    asked = bool(assembly) and settings.mend_judged == settings.mend_order
    verdict = judge(puzzle, assembly) if asked else None

    def placed(pairs: object) -> None:
        found = checked(puzzle, pairs)
        if found is not None:
            chapter.put("mend_order", written(found))

    bench(
        puzzle.name,
        puzzle.header,
        [line.code for line in puzzle.every],
        puzzle.mixed(settings.mend_mix),
        assembly,
        key=f"{chapter.name}.mend",
        words={word: say(f"mend.bench.{word}") for word in WORDS},
        marked=None if verdict is None or verdict.at is None else assembly[verdict.at].line,
        on_order=chapter.then(placed),
    )
    with st.container(horizontal=True):
        _button(chapter, "judge", _judged, primary=True, disabled=not assembly)
        _button(chapter, "again", _anew, disabled=not assembly)
        _button(chapter, "mix", _mixed)
    if verdict:
        _told(chapter, puzzle, assembly, verdict)
        replies = {name: str(getattr(settings, name)) for name in ("mend_order", "mend_judged", "mend_first")}
        gather(chapter, "mend", puzzle.name, {"mend_puzzle": puzzle.name, **replies})


def _button(
    chapter: Chapter[Mend],
    name: str,
    act: Callable[[Chapter[Mend]], None],
    *,
    primary: bool = False,
    disabled: bool = False,
) -> None:
    st.button(
        chapter.say(f"mend.{name}"),
        key=f"{chapter.name}.mend.{name}",
        type="primary" if primary else "secondary",
        disabled=disabled,
        on_click=chapter.then(act),
        args=(chapter,),
    )


def _judged(chapter: Chapter[Mend]) -> None:
    order = chapter.settings.mend_order
    if not (chapter.settings.mend_first and state.is_given(chapter.name, "mend_judged")):
        chapter.put("mend_first", order)
    chapter.put("mend_judged", order)
    state.give(chapter.name, "mend_judged")


def _anew(chapter: Chapter[Mend]) -> None:
    for name in ("mend_order", "mend_judged", "mend_first"):
        chapter.put(name, "")


def _mixed(chapter: Chapter[Mend]) -> None:
    chapter.put("mend_mix", (chapter.settings.mend_mix + 1) % (MIXES + 1))
    _anew(chapter)


def _told(chapter: Chapter[Mend], puzzle: Puzzle, assembly: Assembly, verdict: PuzzleVerdict) -> None:
    """The verdict beside the first one, and every law with its number; where all hold, the functions of the core."""
    say, right = chapter.say, verdict.kind == "right"
    own = state.is_given(chapter.name, "mend_judged")
    tell(chapter, sentence(say, puzzle, assembly, verdict), right=right, own=own)
    first = read(puzzle, chapter.settings.mend_first)
    if own and right and first and first != assembly:
        st.markdown(say("mend.first", told=sentence(say, puzzle, first, judge(puzzle, first))))
    if verdict.measured:
        rows = np.array([[one.error, one.tolerance] for one in verdict.measured], dtype=np.float64)
        figure = Figure(
            "laws",
            Drawing(_table(chapter, puzzle, verdict)),
            provenance(f'judge(PUZZLES["{puzzle.name}"], assembly).measured', *rows.shape),
            numbers=rows,
            columns=[say("mend.error"), say("mend.tolerance")],
            code=puzzle.core if right else (),
            program=program(puzzle, assembly),
        )
        show(chapter, figure)


def sentence(say: Words, puzzle: Puzzle, assembly: Assembly, verdict: PuzzleVerdict) -> str:
    """What is wrong, and which line is known to make it so."""
    if verdict.kind == "right":
        return say("mend.right", count=len(puzzle.laws))
    values: dict[str, object] = {
        name: number(value, DIGITS) if isinstance(value, float) else value for name, value in verdict.values.items()
    }
    if verdict.at is not None:
        values |= {"line": verdict.at + 1, "code": Typed(puzzle.every[assembly[verdict.at].line].code)}
    if "error" in values:
        values["error"] = Typed(values["error"])
    key = f"mend.slip.{verdict.name}" if verdict.kind == "slip" else f"mend.broken.{puzzle.name}.{verdict.name}"
    told = say(key, **values)
    if not verdict.cause:
        return told
    return say("mend.because", told=told, cause=say(f"mend.cause.{puzzle.name}.{verdict.cause}"))


def _table(chapter: AnyChapter, puzzle: Puzzle, verdict: PuzzleVerdict) -> Markup:
    say, found = chapter.say, {one.law: one for one in verdict.measured}
    heads = [element("th", say(f"mend.{head}"), scope="col") for head in ("law", "error", "tolerance", "verdict")]
    rows = []
    for law in puzzle.laws:
        one = found.get(law.name)
        off, told, meaning = "", say("mend.unmeasured"), ""
        if one:
            off, told = number(one.error, DIGITS), say("mend.held" if one.held else "mend.failed")
            meaning = "right" if one.held else "wrong"
        name = element("th", say(f"mend.law.{puzzle.name}.{law.name}"), scope="row")
        figures = element("td", off), element("td", number(law.tolerance, DIGITS))
        rows.append(element("tr", name, *figures, element("td", told, class_=meaning)))
    return element("table", element("thead", element("tr", *heads)), element("tbody", *rows), class_="checks")


def program(puzzle: Puzzle, assembly: Assembly) -> str:
    return f"""import torch

from transformer_core.exercises.parsons import PUZZLES
from transformer_core.exercises.parsons.assembly import read
from transformer_core.exercises.parsons.judge import judge

puzzle = PUZZLES["{puzzle.name}"]
assembly = read(puzzle, "{written(assembly)}")  # a line's place, to base 16, and its level
measured = judge(puzzle, assembly).measured
shown = torch.tensor([[law.error, law.tolerance] for law in measured], dtype=torch.float64)
print(shown)"""
