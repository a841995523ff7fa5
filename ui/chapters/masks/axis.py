"""Where the axis of the heads goes. unsqueeze(1) against the notes' unsqueeze(0)."""

from functools import cache

import numpy as np
import streamlit as st
import torch
from torch import Tensor

from transformer_core import PAD, MultiHeadedAttention, padding_mask, record
from transformer_core.masks import per_head
from ui.chapters.masks.scores import written
from ui.figures import Board, Figure, Operand, Panel, number
from ui.figures.formula import J, Matrix
from ui.sections import Chapter, Section, controls, provenance, show, through
from ui.settings.fields import Settings, choice, whole

LENGTHS = (4, 2, 3, 1)  # all different, so that one sequence's mask cannot pass for another's
WIDTH = 4


class Axis(Settings):
    unsqueeze: str = choice("0", "0", "1")
    batch: int = whole(2, 1, len(LENGTHS))
    heads: int = whole(2, 1, 4)


@Section("axis", settings=Axis, cell="axis_cell", text="text", step=through("unsqueeze"))
def axis_of_heads(chapter: Chapter[Axis]) -> None:
    say = chapter.say
    unsqueeze, batch, heads = controls.side_by_side(chapter, unsqueeze={}, batch={}, heads={})
    axis = int(unsqueeze)
    tokens = (torch.arange(WIDTH) < torch.tensor(LENGTHS[:batch]).unsqueeze(1)).long()  # (batch, WIDTH), 1 = real
    mask = padding_mask(tokens).expand(batch, WIDTH, WIDTH)
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
    by_head = axis == 0 and batch > 1
    figure = Figure(
        "axis",
        Board(panels(chapter, given, wrong, by_head), [Operand("tokens", tokens.numpy(), "token")]),
        provenance(f"mask.unsqueeze({axis})", *given.shape),
        numbers=given.flatten(0, 2).int().numpy(),
        code=[per_head, MultiHeadedAttention.forward],
        program=program(mask, heads, axis),
    )
    show(chapter, figure)
    outcome = "right" if axis == 1 else "one" if batch == 1 else "mixed"
    chapter.write(f"axis.{outcome}", count=int(wrong.sum()), all=batch * heads)
    refusal, weight = notes_call()
    chapter.write("axis.call", refusal=refusal, weight=number(weight))


@cache
def notes_call() -> tuple[str, float]:
    """The notes' own call, a mask (8, 4, 4) with a batch of 2: what ours answers, and the one weight that all heads
    give where the same mask is passed as one for each head, (1, 8, 4, 4)."""
    attention, x, mask = MultiHeadedAttention(8, 8, dropout=0.0), torch.zeros(2, 4, 8), torch.zeros(8, 4, 4)
    with torch.no_grad(), record(attention) as trace:
        attention(x, x, x, mask[None])
        weight = float(trace["weights"].max())
        try:
            attention(x, x, x, mask)
        except ValueError as problem:
            return str(problem), weight
    raise AssertionError("a mask of 8 sequences was taken for a batch of 2")


def panels(chapter: Chapter[Axis], given: Tensor, wrong: Tensor, by_head: bool) -> list[Panel]:
    return [
        Panel(
            f"{sequence}.{head}",
            given[sequence, head].int().numpy(),
            chapter.say("axis.panel", sequence=sequence, head=head, sign="✗" if wrong[sequence, head] else "✓"),
            row_axis=chapter.say("query_axis") if head == 0 else "",
            col_axis=chapter.say("key_axis") if sequence == 0 else "",
            scale="mask",
            symbol="mask",
            place=(sequence, head),
            meaning="wrong" if wrong[sequence, head] else "right",
            made=Matrix("tokens")[head if by_head else sequence, J].differs_from(PAD),
        )
        for sequence, head in np.ndindex(*wrong.shape)
    ]


def program(mask: Tensor, heads: int, axis: int) -> str:
    batch, size, _ = mask.shape
    return f"""import torch

mask = torch.tensor({written(mask.int().tolist())})
unsqueezed = mask.unsqueeze({axis})
print(unsqueezed.shape)
each = unsqueezed.broadcast_to({batch}, {heads}, {size}, {size})  # what each head of each sequence gets
shown = each.flatten(0, 2)
print(shown)"""
