"""The lookup as a board: token ids, the table, and the vectors that come out of it, each cell with its arithmetic."""

import math

import numpy as np

from ui.figures.arithmetic import equation, number, operand
from ui.figures.board import Cell, Panel, Source, by_cell, by_row
from ui.figures.tokens import named
from ui.labs.tokens_examples import SHOWN_DIMENSIONS, Example
from ui.shell import Chapter

MEANING = {"src": "encoder", "tgt": "decoder"}


def panels(chapter: Chapter, example: Example, x: np.ndarray, factor: bool) -> list[Panel]:
    """`x` (width, d_model) are the vectors of the looked-up row."""
    say = chapter.say
    tokens = example.sequence.tolist()
    table = example.embeddings.lut.weight.detach().numpy()
    columns = slice(example.first, example.first + SHOWN_DIMENSIONS)
    names = [str(j) for j in range(table.shape[1])][columns]
    meaning = MEANING[example.side]
    largest = float(np.abs(table).max())
    ids = [
        Panel(
            side,
            batch.numpy(),
            title=say(f"ids.{side}"),
            row_labels=[str(i) for i in range(len(batch))] if len(batch) > 1 else (),
            col_labels=[str(j) for j in range(batch.size(1))],
            col_axis=say("position_axis"),
            row_axis=say("sequence_axis") if len(batch) > 1 else "",
            scale="plain",
            print_values=True,
            padded_cols=_padding(batch[0].tolist()) if len(batch) == 1 else (),
            meaning=MEANING[side],
            sources=[Source("table", by_cell(batch.numpy()), "all")] if side == example.side else (),
            place=(0, at),
        )
        for at, (side, batch) in enumerate(example.ids.items())
    ]
    rows = Panel(
        "table",
        table[:, columns],
        title=say("table"),
        row_labels=[str(token) for token in range(len(table))],
        col_labels=names,
        row_axis=say("token_axis"),
        col_axis=say("dimension_axis"),
        high=largest,
        digits=4,
        meaning=meaning,
        place=(1, 0),
    )
    vectors = Panel(
        "vectors",
        x[:, columns],
        title=say("vectors_scaled" if factor else "vectors", d_model=table.shape[1]),
        row_labels=named(tokens, ids=True) if example.started else [str(token) for token in tokens],
        col_labels=names,
        row_axis=say("sequence_row_axis"),
        col_axis=say("dimension_axis"),
        high=largest * math.sqrt(table.shape[1]),  # the same ends with and without the factor
        padded_rows=_padding(tokens),
        digits=4,
        meaning=meaning,
        sources=[Source(example.side, (example.row,), "row"), Source("table", by_row(tokens), "column")],
        place=(1, 1),
    )
    return [*ids, rows, vectors]


def arithmetic(chapter: Chapter, example: Example, cell: Cell | None, factor: bool) -> str:
    """The chosen cell written out; a sentence for cells that nothing computes."""
    say = chapter.say
    if cell is None:
        return say("lookup.choose")
    key, i, j = cell
    table = example.embeddings.lut.weight.detach()
    if key in example.ids:
        token = int(example.ids[key][i, j])
        return say("lookup.is_padding" if token == 0 else "lookup.is_token", token=token, position=j)
    dim = example.first + j
    if key == "table":
        positions = [str(at) for at, token in enumerate(example.sequence.tolist()) if token == i]
        users = say("lookup.users", positions=", ".join(positions)) if positions else say("lookup.no_users")
        return say("lookup.is_parameter", token=i, dim=dim, value=number(float(table[i, dim]))) + users
    token = int(example.sequence[i])
    entry = float(table[token, dim])
    name, source = f"x[{i}, {dim}]", f"E[{token}, {dim}]"
    if not factor:
        return equation(name, source, result=entry)
    size = example.embeddings.d_model
    shown = operand(entry, MEANING[example.side], digits=4)
    sides = [f"√{size} · {source}", f"{number(math.sqrt(size))} · {shown}"]
    return equation(name, *sides, result=entry * math.sqrt(size))


def _padding(tokens: list[int]) -> list[int]:
    return [at for at, token in enumerate(tokens) if token == 0]
