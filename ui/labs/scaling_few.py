"""Scaling lab: a few of the sampled scores one by one, and what a softmax makes of them with and without 1/√d_k."""

from functools import partial

import streamlit as st
from torch import Tensor

from transformer_core import softmax_steps
from transformer_core.score_size import SampledProducts, sampled_products
from ui.caption import caption
from ui.drawing import board
from ui.figures import arithmetic
from ui.figures.board import Cell, Panel, Source
from ui.labs import scaling_snippets
from ui.shell import Chapter

SHOWN = 4  # queries
SCALED_END = 4.0  # of the colours of q·k / √d_k: four standard deviations


def few_lab(chapter: Chapter, sample: SampledProducts, d_k: int, end: float, origin: str) -> None:
    """Part of the histogram's fragment. `end` is that of the colours of q·k, the same for every d_k."""
    say = chapter.say
    plain = sample.products[d_k - 1, :SHOWN]
    scores = {"plain": plain, "scaled": plain / d_k**0.5}
    panels = _panels(chapter, scores, {"plain": end, "scaled": SCALED_END})
    st.markdown(say("few.text", shown=SHOWN, keys=plain.size(1)))
    chosen = board(chapter, "few", panels, cell="few_cell", alt=say("few.alt", d_k=d_k)).chosen
    if chosen:
        st.html(arithmetic_of(sample, scores, d_k, chosen))
    queries, keys = sample.products.shape[1:]
    caption(
        chapter,
        "few",
        origin,
        numbers=plain.numpy(),
        code=[sampled_products, softmax_steps],
        snippet=scaling_snippets.few(d_k, sample.q.size(-1), queries, keys, SHOWN, chapter.settings.seed),
    )


def _panels(chapter: Chapter, scores: dict[str, Tensor], ends: dict[str, float]) -> list[Panel]:
    """Scores and their weights, first without the scale, then with it."""
    say = chapter.say
    queries, keys = scores["plain"].shape
    panel = partial(
        Panel,
        row_labels=[str(i) for i in range(queries)],
        col_labels=[str(j) for j in range(keys)],
        row_axis=say("query_axis"),
        col_axis=say("key_axis"),
        digits=4,
    )
    panels = []
    for at, (name, values) in enumerate(scores.items()):
        made_of = [Source("plain")] if name == "scaled" else []
        title, row = say(f"size.{name}"), [Source(name, "row", "all")]
        panels += [
            panel(name, values.numpy(), title, high=ends[name], sources=made_of, place=(0, 2 * at)),
            panel(
                f"{name}_weights",
                values.softmax(-1).numpy(),
                f"softmax({title})",
                scale="probability",
                sources=row,
                place=(0, 2 * at + 1),
            ),
        ]
    return panels


def arithmetic_of(sample: SampledProducts, scores: dict[str, Tensor], d_k: int, cell: Cell) -> str:
    """The chosen product written out, divided by √d_k if it is scaled; a weight as its share of the exponentials."""
    panel, i, j = cell
    at = f"<sub>{i},{j}</sub>"
    if panel.endswith("_weights"):
        row = scores[panel.removesuffix("_weights")][i]
        steps = softmax_steps(row)
        exponent = arithmetic.exponential(f"e{at}", float(row[j]), float(steps.largest))
        return exponent + arithmetic.share(f"α{at}", steps.exponentials.tolist(), j)
    if panel == "scaled":
        return arithmetic.scaled(f"s{at}", float(scores["plain"][i, j]), d_k)
    q, k = sample.q[i, 0, :d_k].tolist(), sample.k[i, j, :d_k].tolist()
    return arithmetic.product(f"q<sub>{i}</sub>·k{at}", q, k, "q", "k")
