"""Why one row and a mask suffice: the look-ahead mask over source, "=" and target, and attention across "="."""

import numpy as np
import streamlit as st

from transformer_core import subsequent_mask
from transformer_core.after_2017.one_stack import DecoderOnly
from transformer_core.tasks.vocabulary import START
from ui.chapters.gpt.goes_on import GoesOn
from ui.chapters.gpt.reading import labels, layer_of, origin, read_words
from ui.chapters.shared.attention_values import pairs
from ui.figures import Board, Figure, Operand, Panel, number, percent
from ui.figures.formula import I, K, Matrix, total
from ui.figures.paper import softmax
from ui.model.rows import Row, continued_row, row_kind, row_recorded, row_snippet, task_of
from ui.model.shipped import one_stack
from ui.sections import Chapter, Choice, Section, controls, show
from ui.settings.fields import Settings, whole

ASK_ROW = Choice("ask_row", ("all", "upto", "other"), right="upto")


class OneRowSettings(Settings):
    row_layer: int = whole(1, 0, 5)
    row_head: int = whole(3, 0, 15)


@Section("one_row", settings=OneRowSettings, cell="row_cell", reads=(GoesOn,), text="text", lesson=(ASK_ROW,))
def one_row(chapter: Chapter[OneRowSettings]) -> None:
    say, kind = chapter.say, row_kind("gpt", chapter.at_hand)
    words, _ = read_words(chapter.of(GoesOn), "prompt", kind)
    row, task = continued_row(kind, words), task_of(kind)
    board, beside = st.columns([10, 3], gap="medium")
    with board:
        above = chapter.figure_first()
    with beside:
        layer = layer_of(chapter, "row_layer", kind)
        head = controls.number_of(chapter, "row_head", one_stack(kind).model.shape.h)
    path, names, length = f"decoder.layers.{layer}.self_attn", labels(kind, row), len(row)
    trace = row_recorded(kind, row)
    scores, weights = (trace[f"{path}.{name}"][0, head].numpy() for name in ("masked", "weights"))
    equals = row.index(task.equals) if task.equals in row[:-1] else None
    panels = [
        pairs(chapter, names)(
            "weights", weights, say("one_row.weights", layer=layer, head=head), scale="probability", symbol="α",
            meaning="attention", made=softmax(Matrix("scores"), length), blocked=~subsequent_mask(length)[0].numpy(),
            borders=[] if equals is None else [equals, equals + 1],
        )
    ]  # fmt: skip
    if equals is not None:
        across = weights[:, 1:equals].sum(1, keepdims=True)
        panels.append(
            Panel(
                "across", across, say("one_row.across"), names, row_axis=say("query_axis"), scale="probability",
                symbol="Σα", print_values=True, made=total(K, range(1, equals), Matrix("weights")[I, K]), beside=True,
            )
        )  # fmt: skip
    figure = Figure(
        "one_row",
        Board(panels, [Operand("scores", scores, "s")], result="weights"),
        origin(kind, f"{path}.weights", length, length),
        code=[DecoderOnly, subsequent_mask],
        program=f"{row_snippet(kind, row)}shown = trace['{path}.weights'][0, {head}]\nprint(shown)\n",
        alt=say("one_row.alt", layer=layer, head=head),
    )
    show(above, figure)
    with beside:
        _said(chapter, kind, row, names, weights, equals)


def _said(
    chapter: Chapter[OneRowSettings], kind: str, row: Row, names: list[str], weights: np.ndarray, equals: int | None
) -> None:
    if equals is not None:
        best = equals + int(weights[equals:-1, 1:equals].max(1).argmax())
        at = 1 + int(weights[best, 1:equals].argmax())
        chapter.write("one_row.said", word=names[best + 1], other=names[at], share=percent(float(weights[best, at])))
    chapter.write("one_row.law", gap=number(_earlier_moved(kind, row), 2))


def _earlier_moved(kind: str, row: Row) -> float:
    """By how much the logits of all earlier places move with another word at the end."""
    last = len(row) - 1
    other = (*row[:last], START + (row[last] == START))
    one, two = (row_recorded(kind, each)["generator.logits"][0, :last] for each in (row, other))
    return float((one - two).abs().max())
