"""Where the queries, keys and values of a head come from: x times W, plus a bias (paper, section 3.2.2)."""

from dataclasses import replace

import numpy as np
import streamlit as st
from torch import nn

from transformer_core import MultiHeadedAttention
from ui.chapters.attention.head import OfHead
from ui.chapters.shared.attention_values import SHOWN, names_of, path, projection_snippet
from ui.chapters.shared.attention_values import window as shown
from ui.figures import Board, Figure, Operand, Panel
from ui.figures.formula import Matrix
from ui.figures.paper import linear
from ui.figures.stages import Names, numbered
from ui.model import recorded
from ui.sections import Chapter, Section, controls, show, through
from ui.settings.fields import Settings, choice, window

PARTS = ("q", "k", "v")  # in the order of the model's matrices W_Q, W_K, W_V
MEANING = {"q": "query", "k": "key", "v": "value"}
MEMORY = "encoder.output"


class ProjectionSettings(Settings):
    part: str = choice("q", *PARTS)
    part_first: int = window(448)


def given(kind: str, layer: int, part: str) -> str:
    """The name of what W_Q, W_K or W_V is multiplied with: the layer's own vectors, or the encoder's output."""
    if kind == "cross" and part != "q":
        return MEMORY
    stack, number = ("decoder", 1) if kind == "cross" else (kind, 0)
    return f"{stack}.layers.{layer}.sublayer.{number}.given"


@Section(
    "projection", settings=ProjectionSettings, cell="part_cell=projected.3.0", reads=(OfHead,), step=through("part")
)
def projection(chapter: Chapter[ProjectionSettings]) -> None:
    say, at_hand, sequences, of = chapter.say, chapter.at_hand, chapter.typed, chapter.of(OfHead).settings
    part = controls.choose(chapter, "part")
    width = at_hand.config.d_model
    first = controls.slider(chapter, "part_first", 0, max(0, width - SHOWN), step=8)
    where = path(of.kind, of.layer)
    trace = recorded(at_hand, sequences.src, sequences.given)
    name = given(of.kind, of.layer, part)
    x, result = trace[name][0].numpy(), trace[f"{where}.{MEANING[part]}"][0, of.head].numpy()
    weight, bias = _matrix(at_hand.load().get_submodule(where), part, of.head)
    in_head, in_model = shown(first, result.shape[1]), shown(first, width)
    names = names_of(say, of.kind, sequences, {})
    panels = _panels(chapter, names, part, of.head, (x, weight, result), in_head, in_model)
    figure = Figure(
        "projection",
        Board(panels, [Operand("b", bias[None], f"b^{part.upper()}")]),
        at_hand.provenance(f"{where}.{MEANING[part]}", *result.shape, head=of.head),
        code=[MultiHeadedAttention.forward],
        program=projection_snippet(at_hand, sequences, where, name, PARTS.index(part), of.head),
    )
    show(chapter, figure)
    if width > SHOWN:
        st.markdown(say("projection.window", shown=SHOWN, all=width))
    key = "projection.memory" if name == MEMORY else "projection.stream"
    chapter.write(key, part=part, matrix=_matrix_name(part))


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
    chapter: Chapter[ProjectionSettings],
    names: Names,
    part: str,
    head: int,
    arrays: tuple[np.ndarray, np.ndarray, np.ndarray],
    in_head: slice,
    in_model: slice,
) -> list[Panel]:
    """x, W and their product, of which the dimensions `in_model` of x and `in_head` of the head are shown."""
    say, (x, weight, result) = chapter.say, arrays
    vectors = Panel(
        "x",
        x,
        title=say("projection.x"),
        **names.rows(of_keys=part != "q"),
        **names.columns(in_model),
        digits=4,
        window=(slice(None), in_model),
    )
    matrix = Panel(
        "W",
        weight,
        title=say("projection.W", matrix=_matrix_name(part), head=head),
        row_labels=numbered(in_head),
        **names.columns(in_model),
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
        made=linear(Matrix("x"), Matrix("W"), Matrix("b"), x.shape[1]),
        place=(2, 0),
    )
    return [vectors, matrix, projected]
