"""What the four numbers of F.pad do: they come in pairs, and the first pair belongs to the last dimension."""

import streamlit as st
import torch
from torch.nn.functional import pad

from transformer_core.padding import pad_sequences, random_sequences
from ui import controls
from ui.caption import caption, provenance
from ui.drawing import board
from ui.figures.board import Cell, Panel, Source, by_column, by_row
from ui.predict import predict_choice
from ui.shell import Chapter

VOCAB = 8
SIDES = ("left", "right", "top", "bottom")  # the order in which F.pad takes them for a matrix
OPTIONS = ("last_first", "first_first", "around")


def padding_section(chapter: Chapter) -> None:
    say = chapter.say
    chapter.write("padding.lead")
    if not predict_choice(chapter, "pad_shape", OPTIONS, "last_first"):
        return
    amounts = {}
    for side, column in zip(SIDES, st.columns(4)):
        with column:
            amounts[side] = controls.slider(chapter, side)
    before = torch.stack(random_sequences([3, 3], VOCAB, torch.Generator().manual_seed(0)))
    after = pad(before, tuple(amounts.values()))
    rows, columns = (_origins(size, amounts[first]) for size, first in zip(after.shape, ("top", "left")))
    from_rows = [[at] if 0 <= at < before.size(0) else [] for at in rows]
    from_columns = [[at] if 0 <= at < before.size(1) else [] for at in columns]
    panels = [
        Panel(
            key,
            ids.numpy(),
            title=say(f"padding.{key}", rows=ids.size(0), columns=ids.size(1)),
            row_labels=[str(i) for i in range(ids.size(0))],
            row_axis=say("padding.row_axis"),
            col_labels=[str(j) for j in range(ids.size(1))],
            col_axis=say("padding.column_axis"),
            scale="plain",
            print_values=True,
            padded_rows=[i for i, source in enumerate(from_rows) if not source] if key == "after" else (),
            padded_cols=[j for j, source in enumerate(from_columns) if not source] if key == "after" else (),
            sources=[Source("before", by_row(from_rows), by_column(from_columns))] if key == "after" else (),
            place=(0, at),
        )
        for at, (key, ids) in enumerate({"before": before, "after": after}.items())
    ]
    call = f"F.pad(x, {tuple(amounts.values())})"
    chosen = board(chapter, "padding", panels, cell="pad_cell", alt=say("padding.alt", call=call)).chosen
    st.html(_explained(chapter, chosen, rows, columns, before.shape))
    caption(
        chapter,
        "padding",
        provenance(call, *after.shape),
        numbers=after.numpy(),
        code=[pad_sequences],
        snippet=(
            "import torch\nimport torch.nn.functional as F\n\n"
            f"x = torch.tensor({before.tolist()})\nafter = {call}\nprint(after)\n"
        ),
    )
    chapter.write("padding.text")


def _origins(size: int, first: int) -> list[int]:
    """For each row (or column) after padding, the one before it came from; outside 0…n-1 for padding."""
    return [at - first for at in range(size)]


def _explained(chapter: Chapter, cell: Cell | None, rows: list[int], columns: list[int], shape: torch.Size) -> str:
    if cell is None:
        return chapter.say("padding.choose")
    key, i, j = cell
    if key == "before":
        return chapter.say("padding.is_token")
    if 0 <= rows[i] < shape[0] and 0 <= columns[j] < shape[1]:
        return chapter.say("padding.is_moved", i=i, j=j, row=rows[i], column=columns[j])
    return chapter.say("padding.is_padding", i=i, j=j)
