"""Look-ahead and padding masks (paper, sections 3.1 and 3.2.3)."""

from functools import partial

import numpy as np
import streamlit as st

from transformer_core import subsequent_mask
from ui import controls
from ui.caption import caption, provenance
from ui.drawing import board
from ui.figures.arithmetic import equation
from ui.figures.board import Panel
from ui.fragment import fragment
from ui.labs import masks_snippets
from ui.labs.masks_axis import axis_lab
from ui.labs.masks_fill import fill_lab
from ui.labs.masks_own_batch import own_batch_lab
from ui.labs.masks_padding import padding_lab
from ui.labs.masks_probes import causality_lab, padding_probe_lab, typed
from ui.labs.masks_rows import rows_lab
from ui.labs.masks_slice import slice_lab
from ui.labs.masks_traps import convention_lab, reading_lab, triangle_lab
from ui.predict import predict_number
from ui.section import Lab, section
from ui.settings.masks import Masks
from ui.shell import close_chapter, open_chapter

TRAPS: dict[str, tuple[Lab, str, str]] = {  # with the words below and the settings that are theirs
    "reading": (reading_lab, "", "read_as reading_cell"),
    "triu": (triangle_lab, "", "triu_cell"),
    "convention": (convention_lab, "who", "convention_cell"),
    "axis": (axis_lab, "", "unsqueeze batch heads axis_cell"),
    "slice": (slice_lab, "why", "slice_size slice_queries slice_cell"),
    "own": (own_batch_lab, "why", "own_paddings own_cell"),
}
ASKED = 8  # positions of the mask that the question is about

chapter = open_chapter("masks", Masks)
say = chapter.say


@fragment
def look_ahead() -> None:
    figure, words = st.columns([5, 4], gap="medium")
    with words:
        chapter.write("look_ahead.text")
    with figure:
        size = controls.slider(chapter, "size")
        mask = draw_mask(size)
    origin = provenance(f"subsequent_mask({size})", *mask.shape)
    snippet = masks_snippets.look_ahead(size)
    caption(chapter, "look_ahead", origin, numbers=mask.astype(int), code=[subsequent_mask], snippet=snippet)


def draw_mask(size: int) -> np.ndarray:
    mask = subsequent_mask(size)[0].numpy()
    names = [str(position) for position in range(size)]
    panel = Panel(
        "mask",
        mask,
        row_labels=names,
        col_labels=names,
        row_axis=say("query_axis"),
        col_axis=say("key_axis"),
        scale="mask",
    )
    chosen = board(chapter, "look_ahead", [panel], cell="ahead_cell", alt=say("look_ahead.alt", size=size)).chosen
    if chosen:
        _, i, j = chosen
        st.html(equation(f"mask<sub>{i},{j}</sub>", f"[{j} ≤ {i}]", result=int(j <= i)))
    return mask


@fragment
def sequences() -> None:
    """The labs that read the reader's batch: all of them follow when it changes."""
    chapter.section("both")
    padding_lab(chapter)
    chapter.write("both.why")
    section(chapter, "fill", fill, text="text", owns="blank fill_with fill_scores fill_mask fill_cell")
    section(chapter, "rows", partial(rows_lab, chapter), text="text", why="why", owns="head front rows_cell")


def fill() -> None:
    if fill_lab(chapter):
        chapter.write("fill.why")


def probes() -> None:
    src = typed(chapter)
    if src:
        chapter.section("causality")
        causality_lab(chapter, src)
        chapter.section("drift")
        padding_probe_lab(chapter, src)


look_ahead()
open_pairs = int(subsequent_mask(ASKED).sum())
slips = {"pairs.diagonal": open_pairs - ASKED, "pairs.all": ASKED**2, "pairs.half": ASKED**2 / 2}
if predict_number(chapter, "pairs", open_pairs, slips):
    chapter.write("pairs.text")
sequences()
section(chapter, "probes", probes, text="text", owns="future ahead_on causal_cell paddings drift_cell")
chapter.heading("traps")
for name, (lab, why, owns) in TRAPS.items():
    section(chapter, name, partial(lab, chapter), text="text", why=why, owns=owns)
close_chapter(chapter)
