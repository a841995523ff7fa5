"""Which heads matter: each is switched off in turn when the reader asks."""

import time
from collections.abc import Callable, Hashable
from functools import partial
from typing import NamedTuple

import numpy as np
import streamlit as st

from transformer_core import EncoderDecoder
from transformer_core.experiments.ablation import Head, Scores, memory_of, scores_without
from transformer_core.experiments.interventions import head_off
from transformer_core.tasks import Task
from ui import state
from ui.cache import cached
from ui.chapters.heads.ablation.board import Ablated, heads_board, ranked_board
from ui.chapters.heads.alignment.sentences import sentences_of
from ui.chapters.heads.values import every_head
from ui.chapters.heads.what_if.change import Change
from ui.chapters.shared.attention_values import path
from ui.chapters.shared.look_lines import task_of
from ui.chapters.shared.model_program import model_snippet, task_snippet
from ui.figures import Board, Figure, number
from ui.figures.board import Cell
from ui.figures.wall import HeadName
from ui.frame.fragment import run_fragments
from ui.model import ModelAtHand, made
from ui.sections import AnyChapter, Section, alone, fragment, show
from ui.sections.section_list import open_section
from ui.session import session
from ui.settings.shared import KINDS


class Bench(NamedTuple):
    """What is measured, without the model's weights. Its results are shared by all readers."""

    at_hand: ModelAtHand
    task: Task
    sentences: int

    @property
    def heads(self) -> list[HeadName | None]:
        """None for the model as it is, then all heads."""
        return [None, *every_head(self.at_hand.config)]

    def known(self) -> list[Scores | None]:
        """What anybody has measured on this server; nothing is measured here."""
        return [cached.get(self._key(head)) for head in self.heads]

    def work(self, seconds: float) -> None:
        """Measure what is not known yet, for about so long: at least one head, by one reader at a time."""
        started = time.perf_counter()
        for head, scores in zip(self.heads, self.known()):
            if scores is None:
                made(*self._key(head), partial(self._measure, head))
                if time.perf_counter() - started >= seconds:
                    return

    def _measure(self, head: HeadName | None, model: EncoderDecoder) -> Scores:
        pairs = self.task.held_out(self.sentences)
        encoded = made(self.at_hand, ("memory", self.sentences), partial(memory_of, pairs=pairs))
        off = None if head is None else Head(path(head.kind, head.layer), head.head)
        return scores_without(model, pairs, encoded, off)

    def _key(self, head: HeadName | None) -> tuple[ModelAtHand, Hashable]:
        return self.at_hand, ("ablation", self.sentences, head)


SLICE, TICK = 0.3, 0.1  # seconds: of work in one go, so that a click on Stop is soon heard; between two goes
RANKED = 12  # heads in the sorted list; its numbers hold all


CELLS = "ablation_cell=added.0.0 ranked_cell=added.1.0"


@Section("ablation", cell=CELLS, sets=(Change,), text="text", why="why")
def ablation(chapter: AnyChapter) -> None:
    at_hand, task = chapter.at_hand, task_of(chapter.at_hand)
    if task is None:
        st.info(chapter.shell("task_unasked"))
        return
    bench = Bench(at_hand, task, sentences_of(at_hand, task))
    waiting = bench in session().measuring
    fragment(_watch, run_every=TICK if waiting else None)(chapter, bench, waiting)


def _watch(chapter: AnyChapter, bench: Bench, ticking: bool) -> None:
    wanted = session().measuring
    if bench in wanted:
        bench.work(SLICE)
    found = bench.known()
    if None not in found:
        wanted.discard(bench)
    if (bench in wanted) != ticking:
        state.run_again()  # all is measured, which ends the looking
    _controls(chapter, bench, found)
    if any(scores is not None for scores in found[1:]):
        _figures(chapter, bench, found)


def _controls(chapter: AnyChapter, bench: Bench, found: list[Scores | None]) -> None:
    say, wanted = chapter.say, session().measuring

    def then(act: Callable[[Bench], None]) -> Callable[[], None]:
        def pressed() -> None:
            act(bench)
            run_fragments([chapter.key(chapter.here)])

        return pressed

    counts = {"done": sum(scores is not None for scores in found[1:]), "count": len(found) - 1}
    if bench in wanted:
        st.button(say("ablation.stop"), icon=":material/stop:", on_click=then(wanted.discard))
        st.progress(counts["done"] / counts["count"], say("ablation.running", **counts))
    elif None in found:
        label = say("ablation.go_on" if counts["done"] else "ablation.start")
        st.button(label, icon=":material/play_arrow:", type="primary", on_click=then(wanted.add))
        if counts["done"]:
            st.caption(say("ablation.stopped", **counts))


def _figures(chapter: AnyChapter, bench: Bench, found: list[Scores | None]) -> None:
    say, at_hand, config = chapter.say, chapter.at_hand, chapter.at_hand.config
    ablated = _ablated(found)
    short = {kind: say(f"short.{kind}") for kind in KINDS}
    names = [say("ablation.none"), *(f"{short[of.kind]} {of.layer}·{of.head}" for of in every_head(config))]
    rows = [f"{short[kind]} {layer}" for kind in KINDS for layer in range(config.N)]

    def draw(name: str, board: Board, ranked: bool, numbers: np.ndarray | None = None) -> Cell | None:
        figure = Figure(
            name,
            board,
            at_hand.provenance(f"ablations(model, {bench.sentences})", *ablated.losses.shape),
            numbers=numbers,
            columns=[say(f"ablation.{name}") for name in ("loss", "added", "exact")] if ranked else (),
            code=(scores_without, head_off),
            program=_program(at_hand, bench.sentences, ranked),
        )
        return show(chapter, figure)

    chosen = draw("ablation", heads_board(ablated, rows, say), ranked=False)
    if chosen and not alone(chapter):
        _way_on(chapter, every_head(config)[chosen[1] * config.h + chosen[2]])
    _summary(chapter, bench, ablated, names)
    table = np.stack([ablated.loss, ablated.added, ablated.exact], axis=-1)[ablated.ranked]
    draw("ranked", ranked_board(ablated, names, RANKED, say), ranked=True, numbers=table)


def _way_on(chapter: AnyChapter, head: HeadName) -> None:
    off = chapter.then(partial(_switch_off, chapter, head))
    st.button(chapter.say("ablation.what_if"), icon=":material/visibility_off:", type="tertiary", on_click=off)


def _switch_off(chapter: AnyChapter, head: HeadName) -> None:
    for name, value in {"how": "off", "kind": head.kind, "layer": head.layer, "head": head.head}.items():
        chapter.of(Change).put(f"if_{name}", value)
    open_section(chapter, "what_if")


def _ablated(found: list[Scores | None]) -> Ablated:
    """What is not known yet is 0."""
    whole = found[0]
    assert whole is not None, "it is measured first"
    rows = [whole if scores is None else scores for scores in found]
    known = np.array([scores is not None for scores in found])
    right, losses = (np.stack([np.asarray(part) for part in parts]) for parts in list(zip(*rows))[:2])
    return Ablated(right, losses, whole.tokens.numpy(), known)


def _summary(chapter: AnyChapter, bench: Bench, ablated: Ablated, names: list[str]) -> None:
    worst = ablated.ranked[1]
    no_worse = int((ablated.known & (ablated.exact >= ablated.exact[0]))[1:].sum())
    chapter.write(
        "ablation.worst" if ablated.added[worst] > 0 else "ablation.no_rise",
        head=names[worst],
        count=bench.sentences,
        loss=number(float(ablated.loss[0]), 3),
        without=number(float(ablated.loss[worst]), 3),
        exact=f"{ablated.exact[0]:.1%}",
        exact_without=f"{ablated.exact[worst]:.1%}",
    )
    chapter.write("ablation.no_worse", no_worse=no_worse, measured=int(ablated.known[1:].sum()))


def _program(at_hand: ModelAtHand, count: int, ranked: bool) -> str:
    """What each head, a column, adds to the loss when it is off, a row per attention; or `ranked`, the head whose
    absence adds most first and above it the model as it is: loss, what is added, exact match."""
    in_order = (
        "order = [0, *sorted(range(1, len(every)), key=lambda row: -added[row])]\n"
        "shown = torch.tensor([(every[row].loss, added[row], every[row].exact_match) for row in order])\n"
    )
    in_place = f"shown = torch.tensor(added[1:]).view(-1, {at_hand.config.h})\n"
    return (
        f"{model_snippet(at_hand)}from transformer_core.experiments.ablation import ablations\n"
        f"{task_snippet(at_hand)}"
        f"every = [scores for _, scores in ablations(model.eval(), task.held_out({count}))]\n"
        "added = [scores.loss - every[0].loss for scores in every]\n"
        f"{in_order if ranked else in_place}"
        "print(shown)\n"
    )
