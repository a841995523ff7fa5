"""Masks lab: where the axis of the heads goes. unsqueeze(1) against the notes' unsqueeze(0)."""

import numpy as np
import streamlit as st
import torch
from torch import Tensor

from transformer_core import MultiHeadedAttention, padding_mask
from transformer_core.masks import per_head
from ui import controls
from ui.caption import caption, provenance
from ui.drawing import board
from ui.figures.arithmetic import equation
from ui.figures.board import Panel
from ui.labs import masks_snippets
from ui.shell import Chapter

LENGTHS = (4, 2, 3, 1)  # all different, so that one sequence's mask cannot pass for another's
WIDTH = 4


def axis_lab(chapter: Chapter) -> None:
    say = chapter.say
    left, middle, right = st.columns(3, vertical_alignment="bottom")
    with left:
        axis = int(controls.choose(chapter, "unsqueeze"))
    with middle:
        batch = controls.slider(chapter, "batch")
    with right:
        heads = controls.slider(chapter, "heads")
    mask = sequence_masks(batch)
    shapes = {
        "mask": tuple(mask.shape),
        "axis": axis,
        "unsqueezed": tuple(mask.unsqueeze(axis).shape),
        "scores": (batch, heads, WIDTH, WIDTH),
    }
    chapter.write("axis.shapes", **shapes)
    try:
        given = per_head(mask, heads, axis)
    except ValueError:
        st.warning(say("axis.single" if heads == 1 else "axis.refused", **shapes))
        return
    wrong = (given != mask.unsqueeze(1)).flatten(2).any(-1)  # (batch, heads)
    chosen = board(chapter, "axis", panels(chapter, given, wrong), cell="axis_cell", alt=say("axis.alt")).chosen
    if chosen:
        st.html(arithmetic_of(chosen, axis == 0 and batch > 1))
    outcome = "right" if axis == 1 else "one" if batch == 1 else "mixed"
    chapter.write(f"axis.{outcome}", count=int(wrong.sum()), all=batch * heads)
    caption(
        chapter,
        "axis",
        provenance(f"mask.unsqueeze({axis})", *given.shape),
        numbers=given.flatten(0, 2).int().numpy(),
        code=[per_head, MultiHeadedAttention.forward],
        snippet=masks_snippets.axis(mask.int().tolist(), heads, axis),
    )


def sequence_masks(batch: int) -> Tensor:
    """Padding masks of sequences that differ in length, a row for every query: (batch, WIDTH, WIDTH) bool."""
    lengths = torch.tensor(LENGTHS[:batch]).unsqueeze(1)
    tokens = (torch.arange(WIDTH) < lengths).long()
    return padding_mask(tokens).expand(batch, WIDTH, WIDTH)


def panels(chapter: Chapter, given: Tensor, wrong: Tensor) -> list[Panel]:
    """What each head of each sequence gets: sequences downwards, heads to the right."""
    return [
        Panel(
            f"{sequence}.{head}",
            given[sequence, head].numpy(),
            chapter.say("axis.panel", sequence=sequence, head=head, sign="✗" if wrong[sequence, head] else "✓"),
            row_axis=chapter.say("query_axis") if head == 0 else "",
            col_axis=chapter.say("key_axis") if sequence == 0 else "",
            scale="mask",
            place=(sequence, head),
            meaning="wrong" if wrong[sequence, head] else "right",
        )
        for sequence, head in np.ndindex(*wrong.shape)
    ]


def arithmetic_of(cell: tuple[str, int, int], by_head: bool) -> str:
    """Whose mask the chosen head was given: its own sequence's, or that of the sequence with the head's number."""
    sequence, head = (int(number) for number in cell[0].split("."))
    source = head if by_head else sequence
    name = f"mask<sub>{sequence},{head},{cell[1]},{cell[2]}</sub>"
    sides = [f"mask[{source}]<sub>{cell[1]},{cell[2]}</sub>", f"[{cell[2]} &lt; {LENGTHS[source]}]"]
    return equation(name, *sides, result=int(cell[2] < LENGTHS[source]))
