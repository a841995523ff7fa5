"""Where the queries, keys and values of a head come from: x times W, plus a bias (paper, section 3.2.2)."""

from dataclasses import replace

import numpy as np
import streamlit as st
from torch import nn

from transformer_core import MultiHeadedAttention
from ui.chapters.attention.settings import PARTS
from ui.chapters.shared.attention_programs import projection_snippet
from ui.chapters.shared.attention_values import SHOWN, names_of, path, window
from ui.figures.board import Operand, Panel
from ui.figures.figure import Board, Figure
from ui.figures.formula import I, J, K, Matrix, total
from ui.figures.stages import Names, numbered
from ui.frame.chapter import Chapter
from ui.model.recorded import recorded
from ui.page import controls
from ui.reading.sequences import Sequences
from ui.showing.show import show

MEANING = {"q": "query", "k": "key", "v": "value"}
MEMORY = "encoder.output"


def given(kind: str, layer: int, part: str) -> str:
    """The name of what W_Q, W_K or W_V is multiplied with: the layer's own vectors, or the encoder's output."""
    if kind == "cross" and part != "q":
        return MEMORY
    stack, number = ("decoder", 1) if kind == "cross" else (kind, 0)
    return f"{stack}.layers.{layer}.sublayer.{number}.given"


def projections(chapter: Chapter, sequences: Sequences) -> None:
    say, at_hand = chapter.say, chapter.at_hand
    part = controls.choose(chapter, "part")
    width = at_hand.config.d_model
    first = controls.slider(chapter, "part_first", 0, max(0, width - SHOWN), step=8)
    settings = chapter.settings
    where, head = path(settings.kind, settings.layer), settings.head
    trace = recorded(at_hand, sequences.src, sequences.given)
    name = given(settings.kind, settings.layer, part)
    x, result = trace[name][0].numpy(), trace[f"{where}.{MEANING[part]}"][0, head].numpy()
    weight, bias = _matrix(at_hand.model.get_submodule(where), part, head)
    in_head, in_model = window(first, result.shape[1]), window(first, width)
    panels = _panels(chapter, names_of(say, settings.kind, sequences, {}), part, (x, weight, result), in_head, in_model)
    show(
        chapter,
        Figure(
            "projection",
            Board(panels, [Operand("b", bias[None], f"b^{part.upper()}")], cell="part_cell"),
            say("projection.alt"),
            at_hand.provenance(f"{where}.{MEANING[part]}", *result.shape, head=head),
            code=[MultiHeadedAttention.forward],
            program=projection_snippet(at_hand, sequences, where, name, PARTS.index(part), head),
        ),
    )
    if width > SHOWN:
        st.markdown(say("projection.window", shown=SHOWN, all=width))
    st.markdown(
        say("projection.memory" if name == MEMORY else "projection.stream", part=part, matrix=_matrix_name(part))
    )


def _matrix(module: object, part: str, head: int) -> tuple[np.ndarray, np.ndarray]:
    """The rows of W_Q, W_K or W_V that belong to this head, (d_k, d_model), and their biases (d_k,)."""
    assert isinstance(module, MultiHeadedAttention)
    linear = module.linears[PARTS.index(part)]
    assert isinstance(linear, nn.Linear)
    own = slice(head * module.d_k, (head + 1) * module.d_k)
    return linear.weight.detach()[own].numpy(), linear.bias.detach()[own].numpy()


def _matrix_name(part: str) -> str:
    return f"W_{part.upper()}"


def _panels(
    chapter: Chapter,
    names: Names,
    part: str,
    arrays: tuple[np.ndarray, np.ndarray, np.ndarray],
    in_head: slice,
    in_model: slice,
) -> list[Panel]:
    """x, W and their product, of which the dimensions `in_model` of x and `in_head` of the head are shown."""
    say, (x, weight, result) = chapter.say, arrays
    of_query = part == "q"
    vectors = Panel(
        "x",
        x,
        title=say("projection.x"),
        row_labels=names.queries if of_query else names.keys,
        col_labels=numbered(in_model),
        row_axis=names.query_axis if of_query else names.key_row_axis,
        col_axis=names.dimension_axis,
        padded_rows=names.padded_queries if of_query else names.padded_keys,
        digits=4,
        window=(slice(None), in_model),
    )
    matrix = Panel(
        "W",
        weight,
        title=say("projection.W", matrix=_matrix_name(part), head=chapter.settings.head),
        row_labels=numbered(in_head),
        col_labels=numbered(in_model),
        col_axis=names.dimension_axis,
        digits=4,
        window=(in_head, in_model),
        symbol=f"W^{part.upper()}",
        place=(1, 0),
    )
    projected = replace(
        vectors,
        key="projected",
        values=result,
        title=say(f"panel.{part}"),
        col_labels=numbered(in_head),
        meaning=MEANING[part],
        window=(slice(None), in_head),
        symbol=part,
        made=total(K, x.shape[1], Matrix("x")[I, K] * Matrix("W")[J, K]) + Matrix("b")[0, J],
        place=(2, 0),
    )
    return [vectors, matrix, projected]
