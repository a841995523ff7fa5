"""A fault is hidden in the model at hand: the reader looks for it in all chapters and names it here."""

from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import streamlit as st

from transformer_core.exercises.faults.evidence import against
from transformer_core.exercises.faults.which_fault import FAULTS, MOST, fault_of
from ui import state
from ui.chapters.practice.clues import Clues, OfEvidence, clues_of, evidence
from ui.classroom import membership
from ui.figures import number
from ui.frame.labsheet_entries import gather
from ui.frame.menu import title
from ui.model import ModelAtHand, answer, output_of
from ui.model.current_model import seed_of, source_of
from ui.model.shipped import EVERY, shipped
from ui.sections import Chapter, Choice, Frame, Section, alone, predict, show
from ui.settings.chapters import page
from ui.settings.fields import reply, whole, with_replies
from ui.text import Words

TYPED = "practice.fault.number"  # the field for the number of a fault
DIGITS = 3
HINTS = 3
# The chapter that each fault shows in, and what to set there.
SHOWS: Mapping[str, tuple[str, dict[str, object]]] = {
    "scale": ("attention", {"kind": "encoder", "stage": "scores"}),
    "mask": ("attention", {"kind": "decoder", "stage": "weights"}),
    "axis": ("attention", {"kind": "encoder", "stage": "weights"}),
    "merge": ("heads", {"open": "merge"}),
    "head": ("heads", {"open": "merge"}),
    "start": ("walkthrough", {"turn": 3}),
    "shift": ("walkthrough", {"turn": 3}),
    "root": ("tokens", {}),
    "positions": ("positions", {"open": "sum"}),
    "gain": ("layers", {}),
    "dropout": ("attention", {"kind": "encoder", "stage": "output"}),
    "tied": ("walkthrough", {"turn": 3}),
}
INSTRUMENTS = ("tokens", "positions", "attention", "heads", "layers", "walkthrough", "decoding", "verify")


class OfFault(OfEvidence):
    """`fault_named` is the name that the reader gives, `fault_first` the first one."""

    fault_named: str | None = reply()
    fault_first: str | None = reply()
    fault_hints: int = with_replies(whole(0, 0, HINTS))


@dataclass(frozen=True)
class FaultQuestion(Choice):
    """Which fault is hidden. Where there are `clues` a wrong name is answered by a number that does not fit it."""

    clues: Clues | None = None
    in_section: ClassVar[bool] = True

    @property
    def first(self) -> str:
        return "fault_first"

    def of(self, settings: Any, frame: Frame) -> "FaultQuestion":
        seed = seed_of(frame.fault)
        return replace(self, right=fault_of(seed).name, said={"seed": str(seed)}) if seed else self

    def text(self, say: Words, part: str) -> str:
        wrong = part.removeprefix("wrong.")
        if part == "right":
            return _statement(say, self.clues, self.right) if self.clues else say(self.reason(self.right))
        if part == wrong:
            return super().text(say, part)
        return _differs(say, self.clues, wrong) if self.clues else say(self.reason(wrong))

    def reason(self, reply: str) -> str:
        return f"fault.why.{reply}"


NAMED = FaultQuestion("fault_named", tuple(FAULTS), next(iter(FAULTS)), measured=True, lead="find")


@Section("fault", settings=OfFault, reads=(Frame,), text="text", whole=True, lesson=(NAMED,))
def fault(chapter: Chapter[OfFault]) -> None:
    at_hand, frame = chapter.at_hand, chapter.frame
    if state.changed("practice.fault", (at_hand.kind, at_hand.fault)):
        chapter.put("fault_hints", 0)
    if not frame.at:  # whose fault it is
        _hide(chapter)
    if not at_hand.fault:
        return
    clues = clues_of(at_hand, chapter.lang)
    asked = replace(NAMED.of(chapter.settings, frame), clues=clues)
    seen = membership.asks(frame, chapter.name, asked.name, asked.said)
    words, picture = st.columns([2, 3], gap="medium") if frame.at else (nullcontext(), nullcontext())
    with words:
        _reads(chapter, clues)
        if frame.at:
            st.markdown(chapter.say(f"fault.hint.{clues.name}"))
    if not frame.at and (not alone(chapter) or (seen and not seen.teaches)):
        _instruments(chapter)
    if not (frame.at or seen):
        _hints(chapter, clues)
    replied = predict(chapter, asked, at_hand.kind)
    if replied:
        _gather(chapter)
    shown = state.picked(f"{chapter.name}.{NAMED.name}.show") or (seen and seen.phase == "told")
    told = replied and bool(shown or chapter.settings.fault_named == clues.name)
    if told:
        with words:
            st.markdown(chapter.say(asked.reason(clues.name)))
    if told or frame.at:
        with picture:
            show(chapter, evidence(chapter, clues, told=told))


def _gather(chapter: Chapter[OfFault]) -> None:
    seed, settings = str(chapter.at_hand.fault), chapter.settings
    if settings.fault_named:
        replies = {"fault": seed, "fault_named": settings.fault_named, "fault_first": settings.fault_first or ""}
        gather(chapter, "fault", seed, replies)


def _hide(chapter: Chapter[OfFault]) -> None:
    """The number of the fault, and another one."""
    say, seed, typed = chapter.say, chapter.at_hand.fault, chapter.frame.fault
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.text_input(
            say("fault.seed"), typed, 20, state.prepare(TYPED, typed), width=160,
            on_change=_typed, args=(chapter.at_hand, chapter.lang),
        )  # fmt: skip
        st.button(
            say("fault.another" if seed else "fault.hide"), icon=":material/bug_report:", key="practice.fault.hide",
            type="secondary" if seed else "primary", on_click=_take,
            args=(chapter.at_hand, seed % MOST + 1, chapter.lang),
        )  # fmt: skip
    if typed.strip() and not seed_of(typed):
        chapter.write("fault.refused")


def _typed(at_hand: ModelAtHand, lang: str) -> None:
    given = str(state.picked(TYPED) or "")
    if seed_of(given):
        _take(at_hand, seed_of(given), lang)
    else:
        state.put(state.FRAME, "fault", given)


def _take(at_hand: ModelAtHand, seed: int, lang: str) -> None:
    """The shipped model of the words that the reader has, with a fault, reading the sentence that its seed means."""
    kind = at_hand.kind if at_hand.kind in EVERY else "trained" if at_hand.words is None else "translate"
    config = shipped(kind).config
    task = state.NUMBERS if config.words is None else config.words.name
    state.take_model(kind, task, source_of(seed, config, lang))
    state.put(state.FRAME, "fault", str(seed))


def _reads(chapter: Chapter[OfFault], clues: Clues) -> None:
    at_hand = clues.at_hand
    written, right = (
        _text(at_hand, one) for one in (output_of(at_hand, clues.src), answer(at_hand.healthy, clues.src))
    )
    key = "fault.same" if written == right else "fault.other"
    chapter.write("fault.reads", key, source=clues.text, written=written, right=right)


def _text(at_hand: ModelAtHand, output: tuple[int, ...]) -> str:
    return " ".join(at_hand.target.labels(at_hand.target.until_end(output)[1:]))


def _instruments(chapter: Chapter[OfFault]) -> None:
    chapter.write("fault.instruments")
    with st.container(horizontal=True):
        for name in INSTRUMENTS:
            _to(chapter, name, {})


def _to(chapter: Chapter[OfFault], name: str, settings: Mapping[str, object]) -> None:
    scene = {"scene": 0} | dict(settings) if settings else {}
    st.page_link(page(name), label=title(name, chapter.lang), query_params=state.query(name, **scene))


def _hints(chapter: Chapter[OfFault], clues: Clues) -> None:
    """One more each time, from what to doubt to the step of the walk where the numbers begin to differ."""
    say, given = chapter.say, chapter.settings.fault_hints
    where, settings = SHOWS[clues.name]
    if given >= 1:
        chapter.write(f"fault.hint.{clues.name}")
    if given >= 2:
        chapter.write("fault.hint_chapter", chapter=title(where, chapter.lang))
        _to(chapter, where, settings)
    if given >= HINTS:
        chapter.write("fault.hint_walk")
        _to(chapter, *clues.walk_to_it())
    else:
        st.button(
            say("fault.hint_next", number=given + 1, count=HINTS), icon=":material/lightbulb:",
            key="practice.fault.hint", on_click=chapter.put, args=("fault_hints", given + 1),
        )  # fmt: skip


def _differs(say: Words, clues: Clues, name: str) -> str:
    """Why it is not the fault that the reader names: a number that would be another one, or one that still differs."""
    why = against(name, clues.name)
    assert why is not None
    told = _statement(say, clues, why.statement)
    return say("fault.not_this" if why.holds else "fault.not_all", told=told)


def _statement(say: Words, clues: Clues, statement: str) -> str:
    here, healthy = clues.numbers(statement)
    return say(
        "fault.statement", number=say(f"fault.number.{statement}"), here=number(here, DIGITS),
        healthy=number(healthy, DIGITS),
    )  # fmt: skip
