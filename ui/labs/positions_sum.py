"""The code added to embeddings of different sizes: what decides whether two vectors are alike, token or position."""

import numpy as np
import streamlit as st
import torch

from transformer_core import PositionalEncoding, record
from ui import controls
from ui.caption import caption
from ui.drawing import board
from ui.figures.arithmetic import equation, number, operand, sum_of_products
from ui.figures.board import Cell, Panel, Source, scale_of
from ui.figures.tokens import named
from ui.labs.model_snippet import model_snippet
from ui.labs.positions_words import code_formula
from ui.sequence import NotASequence, parse
from ui.shell import Chapter
from ui.text import Words

LONGEST = 16
SHOWN = 16  # dimensions on screen
PARTS = ("embeddings", "code", "sum")


def sum_section(chapter: Chapter) -> None:
    say, at_hand = chapter.say, chapter.at_hand
    chapter.write("sum.lead")
    columns = st.columns(3)
    with columns[0]:
        text = controls.text(chapter, "phrase")
    with columns[1]:
        size = controls.slider(chapter, "size", step=0.25)
    with columns[2]:
        first = controls.slider(chapter, "sum_first", 0, max(0, at_hand.config.d_model - SHOWN))
    tokens = _parsed(chapter, text)
    if tokens is None:
        return
    positions = at_hand.model.get_submodule("src_embed.1")
    assert isinstance(positions, PositionalEncoding)
    with torch.no_grad(), record(positions) as trace:
        embeddings = size * at_hand.model.get_submodule("src_embed.0")(torch.tensor([tokens]))
        positions(embeddings)
    values = dict(zip(PARTS, (x[0].double().numpy() for x in (embeddings, trace["code"], trace["output"]))))
    likeness = {part: _cosines(x) for part, x in values.items()}
    panels = _panels(chapter, values, likeness, tokens, first)
    chosen = board(chapter, "sum", panels, cell="sum_cell", alt=say("sum.alt", length=len(tokens))).chosen
    if chosen:
        st.html(_arithmetic(values, likeness, chosen, first, size, tokens))
    caption(
        chapter,
        "sum",
        at_hand.provenance("src_embed.1.output", *values["sum"].shape),
        numbers=values["sum"],
        code=[PositionalEncoding],
        snippet=(
            f"{model_snippet(at_hand)}embeddings = {size!r} * model.src_embed[0](torch.tensor([{list(tokens)}]))\n"
            "x = model.src_embed[1](embeddings)[0]\n"
            "cosines = torch.cosine_similarity(x.unsqueeze(1), x.unsqueeze(0), dim=-1)\nprint(x, cosines)\n"
        ),
    )
    sizes = {part: number(float(np.abs(x).mean()), 3) for part, x in values.items() if part != "sum"}
    chapter.write("sum.text", **sizes)


def _parsed(chapter: Chapter, text: str) -> tuple[int, ...] | None:
    try:
        return parse(text, chapter.at_hand.config.vocab, LONGEST)
    except NotASequence as problem:
        st.warning(Words("shell", chapter.lang)(problem.key, **problem.values))
        return None


def _cosines(x: np.ndarray) -> np.ndarray:
    """Cosine of the angle between any two rows, 0 where a row is zero: (length, d) -> (length, length)."""
    norms = np.linalg.norm(x, axis=1, keepdims=True)
    unit = np.divide(x, norms, out=np.zeros_like(x), where=norms > 0)
    return unit @ unit.T


def _panels(
    chapter: Chapter,
    values: dict[str, np.ndarray],
    likeness: dict[str, np.ndarray],
    tokens: tuple[int, ...],
    first: int,
) -> list[Panel]:
    say = chapter.say
    names = named(tokens)
    largest = max(float(np.abs(x).max()) for x in values.values())
    panels = []
    for at, (part, x) in enumerate(values.items()):
        shown = x[:, first : first + SHOWN]
        panels += [
            Panel(
                part,
                shown,
                title=say(f"sum.{part}"),
                row_labels=names,
                row_axis=say("token_axis") if at == 0 else "",
                col_labels=[str(first + dim) for dim in range(shown.shape[1])],
                col_axis=say("dimension_axis"),
                high=largest,
                digits=4,
                sources=[Source("embeddings"), Source("code")] if part == "sum" else (),
                place=(0, at),
            ),
            Panel(
                f"cos_{part}",
                likeness[part],
                title=say(f"sum.cos_{part}"),
                row_labels=names,
                row_axis=say("token_axis") if at == 0 else "",
                col_labels=names,
                scale=scale_of(likeness[part]),
                high=1.0,
                digits=4,
                sources=[Source(part, "row", "all"), Source(part, "column", "all")],
                place=(1, at),
            ),
        ]
    return panels


def _arithmetic(
    values: dict[str, np.ndarray],
    likeness: dict[str, np.ndarray],
    cell: Cell,
    first: int,
    size: float,
    tokens: tuple[int, ...],
) -> str:
    key, i, j = cell
    if key.startswith("cos_"):
        part = key.removeprefix("cos_")
        a, b = values[part][i], values[part][j]
        norms = " · ".join(number(float(np.linalg.norm(row))) for row in (a, b))
        return equation(f"cos({i}, {j})", f"({sum_of_products(a, b)}) / ({norms})", result=likeness[part][i, j])
    dim, d_model = first + j, values["sum"].shape[1]
    if key == "code":
        return code_formula(i, dim, d_model)
    result = values[key][i, dim]
    if key == "embeddings":
        return equation(f"{number(size)} · √{d_model} · E[{tokens[i]}, {dim}]", result=result)
    terms = " + ".join(operand(values[part][i, dim], digits=4) for part in ("embeddings", "code"))
    return equation(f"x[{i}, {dim}]", terms, result=result)
