"""One head, stage by stage: the matrices of a stage, what a reader is asked about them, the weights as lines."""

from functools import partial

import numpy as np
import streamlit as st

from transformer_core import SoftmaxSteps, attention_steps, softmax_steps
from transformer_core.softmax import masked_softmax
from ui.chapters.attention.head import LOOKS, LOOKS_WORDS, OfHead, head_fields, where_it_looks
from ui.chapters.shared.attention_values import attention_snippet, head_of, names_of, path
from ui.chapters.shared.draw_one import draw_one
from ui.components.drawings import Token
from ui.components.matrix import LabelClick
from ui.figures import Board, Drawing, Figure, number, stages
from ui.figures.lines import lines
from ui.model import recorded
from ui.sections import Chapter, Choice, Section, controls, predict, show
from ui.settings.fields import CellSetting, cell, choice

NAMES = ("products", "scores", "masked", "weights", "output", "all")
AFTER_SOFTMAX = ("weights", "output", "all")
CODE = (attention_steps, masked_softmax, softmax_steps, SoftmaxSteps)
ROUNDING = 1e-5  # far above what float32 leaves of a sum of 40 weights

SUMS = Choice("sums", ("rows", "columns", "all"), right="rows")
AT_STOPS = (
    Choice("ask_product", ("dimensions", "one", "words"), right="dimensions"),
    Choice("ask_scale", ("order", "size", "pattern"), right="size"),
    Choice("ask_output", ("row", "cell", "column"), right="column"),
    Choice("ask_masked", ("zero", "small", "negative"), right="zero"),
)


class StagesSettings(OfHead):
    stage: str = choice("products", *NAMES)
    # Chosen from the start, so that the first look at the page shows where a number comes from.
    cell: CellSetting = cell("products", 3, 4)


def step(chapter: Chapter[StagesSettings], by: int) -> bool:
    """On or back by a stage; False at the first and the last."""
    there = 0 <= NAMES.index(chapter.settings.stage) + by < len(NAMES)
    if there:
        _move(chapter, by)
    return there


@Section(
    "stages",
    settings=StagesSettings,
    look="lead",
    step=step,
    asks=(SUMS, LOOKS, LOOKS_WORDS),
    lesson=(SUMS, *AT_STOPS),
)
def head_in_stages(chapter: Chapter[StagesSettings]) -> None:
    _one_head(chapter)
    chapter.heading("words")
    row = stages.pair(chapter.settings.cell)[0] or 0
    sequences = chapter.typed
    at = min(row, len(sequences.answers) - 1)  # what one of the decoder's rows is given and has to predict
    given, following = sequences.targets[at], sequences.answers[at]
    chapter.write(f"kind_text.{chapter.settings.kind}", "text", given=given, next=following)


def _one_head(chapter: Chapter[StagesSettings]) -> None:
    say, at_hand, sequences = chapter.say, chapter.at_hand, chapter.typed
    stage = _stage_controls(chapter)
    above = chapter.figure_first()
    head_fields(chapter)
    chapter.draw_fields()
    of = chapter.settings
    which = (of.kind, of.layer, of.head)
    head = head_of(recorded(at_hand, sequences.src, sequences.given), *which, sequences, at_hand.config.scale)
    names = names_of(say, of.kind, sequences, {name: say(f"panel.{name}") for name in (*stages.SYMBOLS, "mask")})
    chapter.put("cell", stages.follow(chapter.settings.cell, stage))

    def figure(name: str, picture: Board | Drawing, result: str, alt: str = "") -> Figure:
        tap, shape = "heads" if result == "output" else result, getattr(head, result).shape
        origin = at_hand.provenance(f"{path(of.kind, of.layer)}.{tap}", *shape, head=of.head)
        program = attention_snippet(at_hand, sequences, *which, result)
        return Figure(name, picture, origin, code=CODE, program=program, alt=alt)

    drawn = figure("stages", stages.board(head, names, stage, follows=True), stages.result(stage), say(f"alt.{stage}"))
    show(above, drawn, on_label=chapter.then(partial(_pick, chapter)))
    unscaled = stage == "scores" and not head.scale
    st.markdown(say("stage_text.unscaled" if unscaled else f"stage_text.{stage}", d_k=head.q.shape[1]))
    if stage in AFTER_SOFTMAX or predict(chapter, SUMS):
        _badge(chapter, float(np.abs(head.weights.sum(-1) - 1).max()))
    if of.kind == "cross" and not where_it_looks(chapter, of.layer, seen=stage in AFTER_SOFTMAX):
        return
    chapter.heading("lines")
    drawn = figure("lines", _lines(chapter, head, names), "weights")
    show(chapter, drawn, on_pick=chapter.then(partial(_mark, chapter, head.weights.shape)))
    st.markdown(say("lines.text"))
    draw_one(chapter, "row")


def _lines(chapter: Chapter[StagesSettings], head: stages.HeadValues, names: stages.Names) -> Drawing:
    say, (query, key) = chapter.say, stages.pair(chapter.settings.cell)
    sides, alt = (say("lines.queries"), say("lines.keys")), say("lines.alt")
    svg = lines(
        head.weights, names.queries, names.keys, heads=sides, query=query, key=key, alt=alt, glosses=chapter.glosses
    )
    return Drawing(svg, "lines", board=stages.board(head, names, "weights"))


def _stage_controls(chapter: Chapter[StagesSettings]) -> str:
    say, move = chapter.say, partial(_move, chapter)
    if chapter.hides("stage"):
        return chapter.settings.stage
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.button(say("back"), icon=":material/arrow_back:", shortcut="B", on_click=move, args=[-1])
        stage = controls.choose(chapter, "stage", on_change=move)
        st.button(say("forward"), icon=":material/arrow_forward:", shortcut="N", on_click=move, args=[1])
    return stage


def _move(chapter: Chapter[StagesSettings], by: int = 0) -> None:
    """Go on or back by some stages; the same query and key stay chosen, in the result of the stage."""
    stage = NAMES[min(max(NAMES.index(chapter.settings.stage) + by, 0), len(NAMES) - 1)]
    chapter.put("stage", stage)
    chapter.put("cell", stages.arrive(chapter.settings.cell, stage))


def _pick(chapter: Chapter[StagesSettings], label: LabelClick) -> None:
    """A click on a token's label: that query or that key, with the other one as it was."""
    chapter.put("cell", (label.panel, *_pointed(chapter, "query" if label.axis == "row" else "key", label.index)))


def _mark(chapter: Chapter[StagesSettings], shape: tuple[int, int], token: Token) -> None:
    """The same for a click on a token of the lines, in the result of the stage."""
    if token.index < shape[token.side == "key"]:
        pointed = _pointed(chapter, token.side, token.index)
        chapter.put("cell", stages.arrive(("weights", *pointed), chapter.settings.stage))


def _pointed(chapter: Chapter[StagesSettings], side: str, index: int) -> tuple[int, int]:
    query, key = stages.pair(chapter.settings.cell)
    return (index, key or 0) if side == "query" else (query or 0, index)


def _badge(chapter: Chapter[StagesSettings], off: float) -> None:
    if off < ROUNDING:
        st.badge(chapter.say("rows_sum", off=number(off, 2)), icon=":material/check:", color="green")
    else:
        st.badge(chapter.say("rows_do_not_sum", off=number(off, 2)), icon=":material/close:", color="red")
