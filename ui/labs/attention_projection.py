"""Where the queries, keys and values of a head come from: x times W, plus a bias (paper, section 3.2.2)."""

from dataclasses import replace

import numpy as np
import streamlit as st
from torch import nn

from transformer_core import MultiHeadedAttention, Trace
from ui import controls
from ui.caption import caption
from ui.drawing import board, keep_inside
from ui.figures.arithmetic import projected
from ui.figures.board import Panel, Source
from ui.figures.stages import Names, numbered
from ui.labs.attention_snippet import projection_snippet
from ui.labs.attention_values import SHOWN, Sequences, names_of, path, window
from ui.recorded import recorded
from ui.settings.attention import PARTS
from ui.shell import Chapter

MEANING = {"q": "query", "k": "key", "v": "value"}
MEMORY = "encoder.output"


def given(kind: str, layer: int, part: str, norm_first: bool) -> str:
    """The name of what W_Q, W_K or W_V is multiplied with: the layer's own vectors, or the encoder's output."""
    if kind == "cross" and part != "q":
        return MEMORY
    stack, number = ("decoder", 1) if kind == "cross" else (kind, 0)
    return f"{stack}.layers.{layer}.sublayer.{number}.{'norm.output' if norm_first else 'input'}"


def projections(chapter: Chapter, sequences: Sequences) -> None:
    say, at_hand = chapter.say, chapter.at_hand
    part = controls.choose(chapter, "part")
    width = at_hand.config.d_model
    first = controls.slider(chapter, "part_first", 0, max(0, width - SHOWN), step=8)
    settings = chapter.settings
    where, head = path(settings.kind, settings.layer), settings.head
    trace = recorded(at_hand, sequences.src, sequences.given)
    name = given(settings.kind, settings.layer, part, at_hand.config.norm_first)
    x, result = _recorded(trace, name, f"{where}.{MEANING[part]}", head)
    weight, bias = _matrix(at_hand.model.get_submodule(where), part, head)
    in_head, in_model = window(first, result.shape[1]), window(first, width)
    panels = _panels(chapter, names_of(say, settings.kind, sequences, {}), part, (x, weight, result), in_head, in_model)
    keep_inside(chapter, panels, "part_cell")
    chosen = board(chapter, "projection", panels, cell="part_cell", alt=say("projection.alt")).chosen
    if chosen and chosen[0] == "projected":
        i, c = chosen[1], in_head.start + chosen[2]
        st.html(projected(f"{part}<sub>{i},{c}</sub>", x[i], weight[c], float(bias[c]), MEANING[part]))
    if width > SHOWN:
        st.markdown(say("projection.window", shown=SHOWN, all=width))
    st.markdown(
        say("projection.memory" if name == MEMORY else "projection.stream", part=part, matrix=_matrix_name(part))
    )
    origin = at_hand.provenance(f"{where}.{MEANING[part]}", *result.shape, head=head)
    snippet = projection_snippet(at_hand, sequences, where, name, PARTS.index(part), head)
    caption(chapter, "projection", origin, numbers=result, code=[MultiHeadedAttention.forward], snippet=snippet)


def _recorded(trace: Trace, given: str, result: str, head: int) -> tuple[np.ndarray, np.ndarray]:
    return trace[given][0].numpy(), trace[result][0, head].numpy()


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
        x[:, in_model],
        title=say("projection.x"),
        row_labels=names.queries if of_query else names.keys,
        col_labels=numbered(in_model),
        row_axis=names.query_axis if of_query else names.key_row_axis,
        col_axis=names.dimension_axis,
        padded_rows=names.padded_queries if of_query else names.padded_keys,
        digits=4,
    )
    matrix = Panel(
        "W",
        weight[in_head, in_model],
        title=say("projection.W", matrix=_matrix_name(part), head=chapter.settings.head),
        row_labels=numbered(in_head),
        col_labels=numbered(in_model),
        col_axis=names.dimension_axis,
        digits=4,
        place=(1, 0),
    )
    projected = replace(
        vectors,
        key="projected",
        values=result[:, in_head],
        title=say(f"panel.{part}"),
        col_labels=numbered(in_head),
        meaning=MEANING[part],
        sources=[Source("x", "row", "all"), Source("W", "column", "all")],
        place=(2, 0),
    )
    return [vectors, matrix, projected]
