"""The residual sum of one sub-layer."""

import numpy as np
import streamlit as st

from transformer_core import SublayerConnection
from ui.chapters.layers.places import dimensions, place_control, tokens_in, trace_of, vector_grid
from ui.chapters.shared.attention_programs import recording
from ui.figures import Board, Figure, Panel
from ui.figures.formula import I, J, Matrix
from ui.sections import Chapter, Section, show
from ui.settings.fields import Settings, whole, window

PANELS = {"x": ("input", "x"), "branch": ("branch", "Δx"), "sum": ("sum", "x′")}  # what is recorded, and its symbol


class ResidualSumSettings(Settings):
    sum_place: int = whole(1, 0, 99)  # which sub-layer, in the order of the forward pass
    sum_from: int = window(9999)


@Section("sum", settings=ResidualSumSettings, cell="sum_cell", text="text")
def residual_sum(chapter: Chapter[ResidualSumSettings]) -> None:
    say, at_hand = chapter.say, chapter.at_hand
    left, right = st.columns(2)
    with left:
        place = place_control(chapter, "sum_place")
    with right:
        dims = dimensions(chapter, "sum_from")
    trace = trace_of(chapter)
    arrays = {name: trace[f"{place.path}.{tap}"][0].numpy() for name, (tap, _) in PANELS.items()}
    largest = max(float(np.abs(array).max()) for array in arrays.values())
    panels = [
        Panel(
            name,
            array,
            say(f"sum.{name}"),
            high=largest,
            place=(line, 0),
            made=Matrix("x")[I, J] + Matrix("branch")[I, J] if name == "sum" else None,
            symbol=PANELS[name][1],
            **vector_grid(chapter, tokens_in(chapter, place.stack), dims),
        )
        for line, (name, array) in enumerate(arrays.items())
    ]
    figure = Figure(
        "sum",
        Board(panels),
        at_hand.provenance(f"{place.path}.sum", *arrays["sum"].shape),
        code=[SublayerConnection],
        program=f"{recording(at_hand, chapter.typed)}"
        f"shown = trace['{place.path}.input'][0] + trace['{place.path}.branch'][0]\nprint(shown)\n",
    )
    show(chapter, figure)
