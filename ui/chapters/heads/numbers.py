"""What each head does, in numbers: a small matrix per measure, a row per layer, a column per head."""

import math

import numpy as np
import streamlit as st

from transformer_core import entropy
from transformer_core.experiments.head_measures import attention_distance, neighbour_weights
from ui.chapters.heads.values import MEASURES, mean, means, measured, of_every_attention
from ui.figures import Board, Figure, Operand, Panel, number, runnable
from ui.figures.formula import CELL, Formula, K, Matrix, by_row
from ui.figures.formula import mean as mean_over
from ui.figures.wall import HeadName
from ui.model import recorded
from ui.sections import AnyChapter, Choice, Section, show
from ui.settings.shared import KINDS

# The mean of a measure, and of which numbers, one per query.
SYMBOLS = {"previous": "α^−1", "same": "α^0", "following": "α^+1", "entropy": "H", "distance": "d"}
MEANS = {measure: f"{symbol[0]}\u0304{symbol[1:]}" for measure, symbol in SYMBOLS.items()}


NEVER = Choice("never", KINDS, right="decoder")


@Section("numbers", cell="number_cell=following.4.0", first=NEVER)
def numbers(chapter: AnyChapter) -> None:
    say, at_hand, sequences = chapter.say, chapter.at_hand, chapter.typed
    trace, h = recorded(at_hand, sequences.src, sequences.given), at_hand.config.h
    lines = [(kind, layer) for kind in KINDS for layer in range(at_hand.config.N)]
    found = [[measured(trace, HeadName(*line, head)) for head in range(h)] for line in lines]
    parts = {measure: [[of[measure] for of in line] for line in found] for measure in MEASURES}
    board = _board(chapter, lines, parts, most_keys=max(len(sequences.src), len(sequences.given)))
    figure = Figure(
        "numbers",
        board,
        at_hand.provenance("*.layers.*.*_attn.weights", len(KINDS), at_hand.config.N, h),
        numbers=np.stack([np.ravel(panel.values) for panel in board.panels], axis=-1),
        columns=[say(f"measure.{measure}") for measure in MEASURES],
        code=[neighbour_weights, entropy, attention_distance],
        program=runnable(means, of_every_attention(at_hand, sequences, "weights", "attentions", "values")),
    )
    show(chapter, figure)
    st.markdown(say("numbers.text"))
    following = next(panel.values for panel in board.panels if panel.key == "following")
    for layer in range(at_hand.config.N):
        shares = following[lines.index(("cross", layer))]
        least, most = (number(float(share), 2) for share in (min(shares), max(shares)))
        st.markdown(say("numbers.cross", layer=layer, least=least, most=most))
    if at_hand.words is not None:
        st.markdown(say("numbers.cross_order"))


def _board(
    chapter: AnyChapter, lines: list[tuple[str, int]], parts: dict[str, list[list[np.ndarray]]], most_keys: int
) -> Board:
    """Shares run from 0 to 1, entropy to that of equal weights, distance to the length of the sequence."""
    say = chapter.say
    highest = {"entropy": math.log(most_keys), "distance": most_keys - 1.0}
    panels = [
        Panel(
            measure,
            np.array([[mean(head) for head in line] for line in of]),
            title=say(f"measure_title.{measure}"),
            row_labels=[f"{say(f'short.{kind}')} {layer}" for kind, layer in lines],
            col_labels=[str(head) for head in range(len(of[0]))],
            row_axis=say("layer_axis"),
            col_axis=say("head_axis"),
            scale="magnitude" if measure in highest else "probability",
            high=highest.get(measure, 1.0) or 1.0,
            made=by_row(*[_mean(measure, line[0].size) for line in of]),
            symbol=MEANS[measure],
            print_values=True,
        )
        for measure, of in parts.items()
    ]
    operands = [Operand(f"{measure}.queries", _rows(of), SYMBOLS[measure]) for measure, of in parts.items()]
    return Board(panels, operands)


def _mean(measure: str, queries: int) -> Formula | None:
    """Of a head's numbers, one per query; one query alone has no neighbour."""
    return mean_over(K, queries, Matrix(f"{measure}.queries")[CELL, K]) if queries else None


def _rows(parts: list[list[np.ndarray]]) -> np.ndarray:
    """A row per head, which are of different lengths."""
    heads = [head for line in parts for head in line]
    rows = np.zeros((len(heads), max(1, *(head.size for head in heads))))
    for row, head in zip(rows, heads):
        row[: head.size] = head
    return rows
