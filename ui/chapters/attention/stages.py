"""One head, stage by stage: the matrices of a stage, what a reader is asked about them, the weights as lines."""

from functools import partial

import numpy as np
import streamlit as st
from torch import Tensor

from transformer_core import PAD, SoftmaxSteps, Trace, attention_steps, softmax_steps
from transformer_core.experiments.alignment import chance, gold_alignment
from transformer_core.experiments.head_measures import neighbour_weights
from transformer_core.softmax import masked_softmax
from ui import address
from ui.canvas.matrix import LabelClick
from ui.chapters.attention.lines import weights_as_lines
from ui.chapters.attention.questions import SUMS, where_it_looks
from ui.chapters.attention.settings import STAGES
from ui.chapters.shared.attention_programs import attention_snippet
from ui.chapters.shared.attention_values import head_of, names_of, path
from ui.chapters.shared.gold import task_of
from ui.figures import stages
from ui.figures.figure import Figure
from ui.figures.number import number
from ui.frame.chapter import Chapter, draw_again
from ui.model.recorded import recorded
from ui.page import controls
from ui.page.predict import predict
from ui.reading.sequences import Sequences
from ui.showing.show import show

CODE = (attention_steps, masked_softmax, softmax_steps, SoftmaxSteps)
SHORT = {
    "translate both": "two white cats sleep",
    "translate en-zh": "two white cats sleep",
    "translate zh-en": "白色的猫睡觉",
}
AFTER_SOFTMAX = ("weights", "output", "all")
ROUNDING = 1e-5  # far above what float32 leaves of a sum of 40 weights


def head_controls(chapter: Chapter) -> None:
    """Which head it is: on that depends all that follows, but not the menu, which need not be drawn again."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        controls.choose(chapter, "kind")
        controls.number_of(chapter, "layer", chapter.at_hand.config.N)
        controls.number_of(chapter, "head", chapter.at_hand.config.h)
        _shorter(chapter)


def _shorter(chapter: Chapter) -> None:
    """A sentence so short that its numbers can be written into the cells."""
    words = chapter.at_hand.words
    sentence = None if words is None else SHORT.get(words.name)
    if not sentence or chapter.hides("src"):
        return
    label = chapter.say("short", sentence=sentence)
    if st.button(label, icon=":material/short_text:", type="tertiary", key="short", on_click=_take, args=(sentence,)):
        address.run_again()  # the fields stand above


def _take(sentence: str) -> None:
    address.put(address.FRAME, "src", sentence)
    address.put(address.FRAME, "tgt", "")


def chosen_head(chapter: Chapter, sequences: Sequences | None) -> None:
    if sequences:
        _one_head(chapter, sequences)
    if chapter.waits:
        return
    chapter.heading("words")
    row = stages.pair(chapter.settings.cell)[0] or 0
    given, following = _step(sequences, row) if sequences else ("t", "t + 1")
    chapter.write(f"kind_text.{chapter.settings.kind}", "text", given=given, next=following)


def _step(sequences: Sequences, row: int) -> tuple[str, str]:
    """What one of the decoder's rows is given and has to predict."""
    at = min(row, len(sequences.answers) - 1)
    return sequences.targets[at], sequences.answers[at]


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
    if chapter.waits:
        predict(chapter, where_it_looks(at_hand.words is not None))
        return
    unscaled = stage == "scores" and not head.scale
    st.markdown(say("stage_text.unscaled" if unscaled else f"stage_text.{stage}", d_k=head.q.shape[1]))
    if stage in AFTER_SOFTMAX or predict(chapter, SUMS):
        _badge(chapter, float(np.abs(head.weights.sum(-1) - 1).max()))
    if settings.kind == "cross" and not _where_it_looks(chapter, sequences, trace):
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


def _where_it_looks(chapter: Chapter, sequences: Sequences, trace: Trace) -> bool:
    """The claim about cross-attention, asked first, then measured on the heads of the layer. True once answered.

    Where nobody knows what the model has learned there is no such claim.
    """
    words = chapter.at_hand.words
    if task_of(chapter.at_hand) is None:
        return True
    question = where_it_looks(words is not None)
    if not predict(chapter, question):
        return False
    layer = chapter.settings.layer
    weights = trace[f"{path('cross', layer)}.weights"][0]
    if words is None:
        st.markdown(chapter.say("looks.measured", layer=layer, shares=_written(neighbour_weights(weights, 1).mean(-1))))
        return True
    gold = gold_alignment(words, sequences.src, (*sequences.given[:1], *sequences.predicted))
    if gold is None or not gold.any():
        st.markdown(chapter.say("looks_words.unknown"))
        return True
    rows, keys = gold.any(-1), sum(token != PAD for token in sequences.src)
    shares = _written((weights * gold).sum(-1)[:, rows].mean(-1))
    by_chance = number(float(chance(gold, keys)[rows].mean()), 3)
    st.markdown(chapter.say("looks_words.measured", layer=layer, shares=shares, chance=by_chance))
    return True


def _written(shares: Tensor) -> str:
    """One number per head."""
    return " · ".join(number(float(share), 3) for share in shares)
