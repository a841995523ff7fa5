"""The list of checks, filled one by one once the reader asks for it."""

from typing import cast

import numpy as np
import streamlit as st

from transformer_core.verify import gradients, laws, parity
from transformer_core.verify.broken import BROKEN, Break
from transformer_core.verify.checks import Check
from ui.chapters.verify.formulas import EVERY, every_formula
from ui.chapters.verify.values import Errors, Examined
from ui.figures import Drawing, Figure, number
from ui.figures.markup import Markup, element
from ui.sections import AnyChapter, Chapter, Choice, Frame, Section, controls, sequence, show
from ui.sections.inquiry import Inquiry, Version, first_of, inquire
from ui.sections.sequence_fields import source_of
from ui.settings.fields import Settings, choice

# What the checks ask: which of them can notice a break; why; and the same of another break, measured.

NOTICES = Choice("ask_notices", ("rows", "attention", "norm"), right="attention")
TOKENS = 40  # of a sentence that are read, at most
# Of each other break the checks to choose from: one of them fails.
BREAKS: dict[Break, tuple[str, ...]] = {"mask": ("rows", "causality", "norm"), "axis": ("rows", "rotation", "norm")}


def of_another(chapter: AnyChapter, seed: int) -> Version | None:
    return first_of(seed, tuple(BREAKS), lambda how: _of(chapter, how))


def _of(chapter: AnyChapter, how: Break) -> Version | None:
    say, examined = chapter.say, Examined(chapter.at_hand, source_of(chapter, TOKENS), how)
    model = chapter.at_hand.load()
    checks = {check.name: check for check in EVERY}
    errors = {name: examined.measure(checks[name], model) for name in BREAKS[how]}
    failed = [name for name, error in errors.items() if not checks[name].holds(error)]
    if len(failed) != 1:
        return None
    error, check = errors[failed[0]], checks[failed[0]]
    said = {"broken": say(f"broken_option.{how}"), "error": number(error, 2), "tolerance": number(check.tolerance, 2)}
    return Version(failed[0], said, {name: say(f"check.{name}.name") for name in errors})


NOTICED = Inquiry(NOTICES, ("small", "truth", "law"), "law", of_another)


DIGITS = 2
CODE = (
    parity.multi_head_attention,
    parity.transformer,
    laws.rows_sum_to_one,
    laws.causality,
    laws.padding,
    laws.step_by_step,
    gradients.every_gradient,
    every_formula,
)


class Checks(Settings):
    broken: str = choice("none", "none", "scale", "mask", "axis")


@Section("checks", settings=Checks, reads=(Frame,), types=("src",), look="lead", inquires=(NOTICED,))
def checks(chapter: Chapter[Checks]) -> None:
    """Nothing is measured before the reader presses the button; what others have measured is shown at once."""
    say = chapter.say
    left, right = st.columns([2, 3], gap="medium")
    with right:
        how = cast(Break, controls.choose(chapter, "broken"))  # the setting has these options and no other
        button, place = st.empty(), st.empty()
    with left:
        src = sequence(chapter, "src")
    examined = Examined(chapter.at_hand, src, how)
    errors = examined.known()
    pending = None in errors.values()
    hint = st.empty()
    if how != "none":
        with hint:
            chapter.write(f"broken_text.{how}", *(["guess"] if pending else []))
    if pending:
        asked = button.button(say("run"), icon=":material/play_arrow:", type="primary")
    else:
        asked = False
        _summary(chapter, place, errors)
    listed = st.empty()
    if pending:
        listed.html(_table(chapter, errors))
    if asked:
        button.empty()
        model = chapter.at_hand.load()
        for at, check in enumerate(EVERY):
            place.progress(at / len(EVERY), say("running", done=at, count=len(EVERY)))
            errors[check.name] = examined.measure(check, model)
            listed.html(_table(chapter, errors))
        _summary(chapter, place, errors)
        if how != "none":
            with hint:
                chapter.write(f"broken_text.{how}")
    if None not in errors.values():
        with listed.container():
            show(chapter, _figure(chapter, examined, errors))
    inquire(chapter, NOTICED, lambda: chapter)


def _held(check: Check, errors: Errors) -> bool | None:
    error = errors[check.name]
    return None if error is None else check.holds(error)


def _summary(chapter: Chapter[Checks], place: "st.delta_generator.DeltaGenerator", errors: Errors) -> None:
    """What the checks have found, and which of them have found it."""
    say = chapter.say
    failed = [say(f"check.{check.name}.name") for check in EVERY if not _held(check, errors)]
    counts = {"failed": len(failed), "count": len(EVERY), "names": say("comma").join(failed)}
    if chapter.settings.broken == "none":
        key, sign, icon = ("some_fail", place.error, "close") if failed else ("all_hold", place.success, "check")
    else:
        key, sign, icon = ("caught", place.info, "search") if failed else ("missed", place.error, "close")
    sign(say(key, **counts), icon=f":material/{icon}:")


def _table(chapter: AnyChapter, errors: Errors) -> Markup:
    """As HTML: two groups of rows; a verdict is a word and a sign, and has its colour."""
    say = chapter.say
    heads = [element("th", say(head), scope="col") for head in ("what", "error", "tolerance", "verdict")]
    rows = []
    for group in ("code", "model"):
        title = element("th", say(f"group.{group}"), colspan=4, scope="colgroup")
        rows.append(element("tr", title, class_="group"))
        rows += [_row(chapter, check, errors) for check in EVERY if check.of_the_model == (group == "model")]
    return element("table", element("thead", element("tr", *heads)), element("tbody", *rows), class_="checks")


def _row(chapter: AnyChapter, check: Check, errors: Errors) -> Markup:
    say, error = chapter.say, errors[check.name]
    held = _held(check, errors)
    name, text = (say(f"check.{check.name}.{part}") for part in ("name", "text"))
    verdict = "" if held is None else say("passed" if held else "failed")
    meaning = {None: "", True: "right", False: "wrong"}[held]
    figures = "" if error is None else number(error, DIGITS)
    cells = element("td", figures), element("td", number(check.tolerance, DIGITS))
    title = element("th", name, element("small", text), scope="row")
    return element("tr", title, *cells, element("td", verdict, class_=meaning))


def _figure(chapter: AnyChapter, examined: Examined, errors: Errors) -> Figure:
    rows = np.array([[errors[check.name], check.tolerance] for check in EVERY], dtype=np.float64)
    call = f"checked(model, src, tgt, {examined.how!r}, EVERY)"
    return Figure(
        "checks",
        Drawing(_table(chapter, errors)),
        chapter.at_hand.provenance(call, *rows.shape),
        numbers=rows,
        columns=[chapter.say("error"), chapter.say("tolerance")],
        code=[*([BROKEN[examined.how]] if examined.how != "none" else []), *CODE],
        program=examined.program,
    )


@Section("reading", look="open")
def reading(chapter: AnyChapter) -> None:
    chapter.write("see", "why", "limits")
