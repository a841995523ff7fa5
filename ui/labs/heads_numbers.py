"""What each head does, in numbers: a small matrix per measure, a row per layer, a column per head."""

import math
from dataclasses import replace

import numpy as np
import streamlit as st

from transformer_core import Trace, entropy
from transformer_core.head_measures import attention_distance, neighbour_weights
from ui.caption import caption
from ui.drawing import board, keep_inside
from ui.figures.arithmetic import number
from ui.figures.board import Panel
from ui.figures.layer_arithmetic import mean_of
from ui.figures.wall import HeadName
from ui.labs.attention_values import Sequences
from ui.labs.heads_snippets import measures_snippet
from ui.labs.heads_values import MEASURES, every_head, mean, measured
from ui.predict import predict_choice
from ui.recorded import recorded
from ui.settings.attention import KINDS
from ui.shell import Chapter

SYMBOLS = {"previous": "α<sub>i,i−1</sub>", "same": "α<sub>i,i</sub>", "following": "α<sub>i,i+1</sub>"} | {
    "entropy": "H",
    "distance": "Σ α·|i − j|",
}


def numbers(chapter: Chapter, sequences: Sequences) -> None:
    say, at_hand = chapter.say, chapter.at_hand
    if not predict_choice(chapter, "never", KINDS, "decoder"):
        return
    trace = recorded(at_hand, sequences.src, sequences.given)
    rows = [(kind, layer) for kind in KINDS for layer in range(at_hand.config.N)]
    heads = every_head(at_hand.config)
    means = {
        measure: np.reshape([mean(measured(trace, name, measure)) for name in heads], (len(rows), at_hand.config.h))
        for measure in MEASURES
    }
    panels = _panels(chapter, rows, means, most_keys=max(len(sequences.src), len(sequences.given)))
    keep_inside(chapter, panels, "number_cell")
    chosen = board(chapter, "numbers", panels, cell="number_cell", alt=say("numbers.alt")).chosen
    if chosen:
        measure, row, head = chosen
        parts = measured(trace, HeadName(*rows[row], head), measure)
        if parts.size:  # one query alone has no neighbour
            st.html(mean_of(SYMBOLS[measure], parts.tolist()))
    st.markdown(say("numbers.text"))
    for layer in range(at_hand.config.N):
        st.markdown(say("numbers.cross", layer=layer, **_range(trace, layer, at_hand.config.h)))
    origin = at_hand.provenance("*.layers.*.*_attn.weights", len(KINDS), at_hand.config.N, at_hand.config.h)
    table = np.array([values.ravel() for values in means.values()]).T
    caption(
        chapter,
        "numbers",
        origin,
        numbers=table,
        columns=[say(f"measure.{measure}") for measure in MEASURES],
        code=[neighbour_weights, entropy, attention_distance],
        snippet=measures_snippet(at_hand, sequences),
    )


def _panels(chapter: Chapter, rows: list[tuple[str, int]], means: dict[str, np.ndarray], most_keys: int) -> list[Panel]:
    """Shares run from 0 to 1, entropy to that of equal weights, distance to the length of the sequence."""
    say = chapter.say
    share = Panel(
        "previous",
        means["previous"],
        row_labels=[f"{say(f'short.{kind}')} {layer}" for kind, layer in rows],
        col_labels=[str(head) for head in range(means["previous"].shape[1])],
        row_axis=say("layer_axis"),
        col_axis=say("head_axis"),
        scale="probability",
        print_values=True,
    )
    highest = {"entropy": math.log(most_keys), "distance": most_keys - 1.0}
    return [
        replace(
            share,
            key=measure,
            values=values,
            title=say(f"measure_title.{measure}"),
            scale="magnitude" if measure in highest else "probability",
            high=highest.get(measure, 1.0) or 1.0,
            place=(0, at),
        )
        for at, (measure, values) in enumerate(means.items())
    ]


def _range(trace: Trace, layer: int, h: int) -> dict[str, str]:
    """The smallest and the largest mean weight that a cross-attention head of this layer puts on the next position."""
    shares = [mean(measured(trace, HeadName("cross", layer, head), "following")) for head in range(h)]
    return {"least": number(min(shares), 2), "most": number(max(shares), 2)}
