"""One head, stage by stage: the matrices of a stage, what a reader is asked about them, the weights as lines."""

from functools import partial

import numpy as np
import streamlit as st

from transformer_core import Trace, attention_steps, softmax_steps
from transformer_core.experiments.head_measures import neighbour_weights
from transformer_core.softmax import masked_softmax
from ui import controls
from ui.chapters.attention.lines import weights_as_lines
from ui.chapters.attention.questions import LOOKS, SUMS
from ui.chapters.attention.settings import STAGES
from ui.chapters.shared.attention_programs import attention_snippet
from ui.chapters.shared.attention_values import Sequences, head_of, names_of, path
from ui.figures import stages
from ui.figures.figure import Figure
from ui.figures.number import number
from ui.matrix import LabelClick
from ui.predict import predict
from ui.recorded import recorded
from ui.shell import Chapter, draw_again
from ui.show import show

CODE = (attention_steps, masked_softmax, softmax_steps)
AFTER_SOFTMAX = ("weights", "output", "all")
ROUNDING = 1e-5  # far above what float32 leaves of a sum of 40 weights


def chosen_head(chapter: Chapter, sequences: Sequences | None) -> None:
    """All that depends on which head it is, with the controls that say so: the menu need not be drawn again."""
    with st.container(horizontal=True):
        kind = controls.choose(chapter, "kind")
        controls.number_of(chapter, "layer", chapter.at_hand.config.N)
        controls.number_of(chapter, "head", chapter.at_hand.config.h)
    if sequences:
        _one_head(chapter, sequences)
    chapter.heading("words")
    chapter.write(f"kind_text.{kind}", "text")


def _one_head(chapter: Chapter, sequences: Sequences) -> None:
    say, settings, at_hand = chapter.say, chapter.settings, chapter.at_hand
    trace = recorded(at_hand, sequences.src, sequences.given)
    which = (settings.kind, settings.layer, settings.head)
    head = head_of(trace, *which, sequences, at_hand.config.scale)
    stage = _stage_controls(chapter)
    names = names_of(say, settings.kind, sequences, {name: say(f"panel.{name}") for name in (*stages.SYMBOLS, "mask")})
    chapter.put("cell", stages.follow(chapter.settings.cell, stage))
    where, result = path(*which[:2]), stages.result(stage)
    program = partial(attention_snippet, at_hand, sequences, *which)
    figure = partial(Figure, code=CODE)
    origin = partial(at_hand.provenance, head=settings.head)
    tap = "heads" if result == "output" else result
    pointed = show(
        chapter,
        figure(
            "stages",
            stages.board(head, names, stage),
            say(f"alt.{stage}"),
            origin(f"{where}.{tap}", *getattr(head, result).shape),
            program=program(result),
        ),
    )
    if pointed.label:
        _pick(chapter, pointed.label)
    unscaled = stage == "scores" and not head.scale
    st.markdown(say("stage_text.unscaled" if unscaled else f"stage_text.{stage}", d_k=head.q.shape[1]))
    if stage in AFTER_SOFTMAX or predict(chapter, SUMS):
        _badge(chapter, float(np.abs(head.weights.sum(-1) - 1).max()))
    if settings.kind == "cross" and not _where_a_copier_looks(chapter, trace):
        return
    weights = stages.board(head, names, "weights")
    shape = head.weights.shape
    weights_as_lines(
        chapter,
        head.weights,
        names,
        figure("lines", weights, say("lines.alt"), origin(f"{where}.weights", *shape), program=program("weights")),
    )


def _stage_controls(chapter: Chapter) -> str:
    say, move = chapter.say, partial(_move, chapter)
    if chapter.hides("stage"):
        return str(chapter.settings.stage)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.button(say("back"), icon=":material/arrow_back:", shortcut="B", on_click=move, args=[-1])
        stage = controls.choose(chapter, "stage", on_change=move)
        st.button(say("forward"), icon=":material/arrow_forward:", shortcut="N", on_click=move, args=[1])
    return stage


def step(chapter: Chapter, by: int) -> bool:
    """On or back by a stage; False at the first and the last."""
    there = 0 <= STAGES.index(chapter.settings.stage) + by < len(STAGES)
    if there:
        _move(chapter, by)
    return there


def _move(chapter: Chapter, by: int = 0) -> None:
    """Go on or back by some stages; the same query and key stay chosen, in the result of the stage."""
    stage = STAGES[min(max(STAGES.index(chapter.settings.stage) + by, 0), len(STAGES) - 1)]
    chapter.put("stage", stage)
    chapter.put("cell", stages.arrive(chapter.settings.cell, stage))


def _pick(chapter: Chapter, label: LabelClick) -> None:
    """A click on a token's label: that query or that key, with the other one as it was."""
    query, key = stages.pair(chapter.settings.cell)
    asked = (label.index, key or 0) if label.axis == "row" else (query or 0, label.index)
    chapter.put("cell", (label.panel, *asked))
    draw_again()


def _badge(chapter: Chapter, off: float) -> None:
    """Whether all rows sum to one, and the largest error of any."""
    if off < ROUNDING:
        st.badge(chapter.say("rows_sum", off=number(off, 2)), icon=":material/check:", color="green")
    else:
        st.badge(chapter.say("rows_do_not_sum", off=number(off, 2)), icon=":material/close:", color="red")


def _where_a_copier_looks(chapter: Chapter, trace: Trace) -> bool:
    """The claim about cross-attention, asked first, then measured on the heads of the layer. True once answered."""
    if not predict(chapter, LOOKS):
        return False
    layer = chapter.settings.layer
    weights = trace[f"{path('cross', layer)}.weights"][0]
    shares = [number(float(share), 3) for share in neighbour_weights(weights, 1).mean(-1)]
    st.markdown(chapter.say("looks.measured", layer=layer, shares=" · ".join(shares)))
    return True
