"""A few of the sampled scores one by one, and what a softmax makes of them with and without 1/√d_k."""

from functools import partial

import streamlit as st
from torch import Tensor

from transformer_core import SoftmaxSteps, softmax_steps
from transformer_core.experiments.score_size import SampledProducts, sampled_products
from ui.chapters.shared.attention_values import numbered, pairs
from ui.figures import Board, Figure, Operand, Panel, ProgramArgument, runnable
from ui.figures.formula import CELL, I, J, Matrix
from ui.figures.paper import product, scaled, softmax
from ui.sections import Chapter, show
from ui.settings.fields import CellSetting, Settings, cell

SHOWN = 4  # queries
END = 8.0  # of the colours of all scores: eight standard deviations of q·k / √d_k, one of q·k where d_k is 64


class OfFew(Settings):
    few_cell: CellSetting = cell("plain", 0, 0)


def of_the_first(products: Tensor, d_k: int) -> Tensor:
    """The scores of the first queries, without 1/√d_k: (SHOWN, keys)."""
    return products[d_k - 1, :SHOWN]


def few(chapter: Chapter[OfFew], given: ProgramArgument, sample: SampledProducts, d_k: int, origin: str) -> None:
    say = chapter.say
    keys = sample.products.size(2)
    st.markdown(say("few.text", shown=SHOWN, keys=keys))
    operands = [
        Operand("q", sample.q[:SHOWN, 0, :d_k].numpy(), meaning="query"),
        Operand("k", sample.k[:SHOWN, :, :d_k].flatten(0, 1).numpy(), meaning="key"),  # each query has its own
    ]
    figure = Figure(
        "few",
        Board(_panels(chapter, sample, d_k), operands, result="plain"),
        origin,
        code=[sampled_products, softmax_steps, SoftmaxSteps],
        program=runnable(of_the_first, given, d_k),
        alt=say("few.alt", d_k=d_k),
    )
    show(chapter, figure)


def _panels(chapter: Chapter[OfFew], sample: SampledProducts, d_k: int) -> list[Panel]:
    """Scores and their weights, first without the scale, then with it."""
    say = chapter.say
    plain = of_the_first(sample.products, d_k)
    keys = plain.size(1)
    panel = partial(pairs(chapter, numbered(keys), numbered(SHOWN)), digits=4)
    q, k = Matrix("q"), Matrix("k")
    products = product(q, k, d_k, key=CELL)
    divided = scaled(Matrix("plain")[I, J], d_k)
    panels = []
    for at, (name, scores, made, symbol) in enumerate(
        (("plain", plain, products, "s"), ("scaled", plain / d_k**0.5, divided, "s′"))
    ):
        title = say(f"size.{name}")
        panels += [
            panel(name, scores.numpy(), title, high=END, place=(0, 2 * at), made=made, symbol=symbol),
            panel(
                f"{name}_weights",
                scores.softmax(-1).numpy(),
                f"softmax({title})",
                scale="probability",
                place=(0, 2 * at + 1),
                made=softmax(Matrix(name), keys),
                symbol="α",
            ),
        ]
    return panels
