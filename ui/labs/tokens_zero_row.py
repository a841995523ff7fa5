"""`padding_idx`: a row that is zero and that no gradient ever moves."""

import streamlit as st
import torch

from transformer_core import Embeddings
from ui import controls
from ui.caption import caption, provenance
from ui.drawing import board
from ui.figures.arithmetic import equation, joined, number, operand
from ui.figures.board import Cell, Panel, Source, by_row
from ui.labs.tokens_examples import seeded_embeddings
from ui.predict import predict_choice
from ui.shell import Chapter

D_MODEL, VOCAB, SEED = 3, 10, 0
TOKENS = (0, 2, 0, 5)  # the notes' example
OPTIONS = ("zero", "small", "learned")


def zero_row_section(chapter: Chapter) -> None:
    say = chapter.say
    chapter.write("zero.lead")
    if not predict_choice(chapter, "learned", OPTIONS, "zero"):
        return
    padding_idx = 0 if controls.toggle(chapter, "zero_row") else None
    embeddings = seeded_embeddings(D_MODEL, VOCAB, SEED, padding_idx)
    x = embeddings(torch.tensor([TOKENS]))[0]
    (x.square().sum() / 2).backward()
    gradient = embeddings.lut.weight.grad
    assert gradient is not None
    table, x = embeddings.lut.weight.detach(), x.detach()
    rows = [str(token) for token in range(VOCAB)]
    dims = [str(dim) for dim in range(D_MODEL)]
    users = [[at for at, token in enumerate(TOKENS) if token == row] for row in range(VOCAB)]
    counted = [[] if row == padding_idx else at for row, at in enumerate(users)]
    panels = [
        Panel(
            "table",
            table.numpy(),
            title=say("table"),
            row_labels=rows,
            row_axis=say("token_axis"),
            col_labels=dims,
            digits=4,
            meaning="encoder",
        ),
        Panel(
            "x",
            x.numpy(),
            title=say("vectors_scaled", d_model=D_MODEL),
            row_labels=[str(token) for token in TOKENS],
            row_axis=say("sequence_row_axis"),
            col_labels=dims,
            padded_rows=[at for at, token in enumerate(TOKENS) if token == 0],
            digits=4,
            meaning="encoder",
            sources=[Source("table", by_row(TOKENS), "column")],
            place=(0, 1),
        ),
        Panel(
            "gradient",
            gradient.numpy(),
            title=say("zero.gradient"),
            row_labels=rows,
            row_axis=say("token_axis"),
            col_labels=dims,
            digits=4,
            sources=[Source("x", by_row(counted), "column")],
            place=(0, 2),
        ),
    ]
    chosen = board(chapter, "zero", panels, cell="zero_cell", alt=say("zero.alt")).chosen
    st.html(_arithmetic(chapter, chosen, table, x, counted))
    keyword = f", padding_idx={padding_idx}" if padding_idx is not None else ""
    caption(
        chapter,
        "zero",
        provenance(f"Embeddings({D_MODEL}, {VOCAB}{keyword}).lut.weight.grad", *gradient.shape) + f" · seed {SEED}",
        numbers=gradient.numpy(),
        code=[Embeddings],
        snippet=(
            "import torch\nfrom transformer_core import Embeddings\n\n"
            f"torch.manual_seed({SEED})\nembeddings = Embeddings({D_MODEL}, {VOCAB}{keyword})\n"
            f"x = embeddings(torch.tensor([{list(TOKENS)}]))\n(x.square().sum() / 2).backward()\n"
            "gradient = embeddings.lut.weight.grad\nprint(x, gradient)\n"
        ),
    )
    own = chapter.at_hand.model.get_submodule("src_embed.0.lut").get_parameter("weight")[0]
    chapter.write("zero.text", own=number(own.detach().abs().mean().item(), 2))


def _arithmetic(
    chapter: Chapter, cell: Cell | None, table: torch.Tensor, x: torch.Tensor, counted: list[list[int]]
) -> str:
    """A vector is a row times √d_model; a row's gradient sums, over the positions that look it up, √d_model · x."""
    if cell is None or cell[0] == "table":
        return chapter.say("zero.choose")
    key, i, j = cell
    root = f"√{D_MODEL}"
    if key == "x":
        entry = table[TOKENS[i], j].item()
        return equation(
            f"x[{i}, {j}]",
            f"{root} · E[{TOKENS[i]}, {j}]",
            f"{number(D_MODEL**0.5)} · {operand(entry, 'encoder', 4)}",
            result=entry * D_MODEL**0.5,
        )
    if not counted[i]:
        return chapter.say("zero.no_gradient", token=i)
    terms = [f"{root}·{operand(x[at, j].item(), 'encoder', 4)}" for at in counted[i]]
    return equation(f"∂L/∂E[{i}, {j}]", joined(terms), result=D_MODEL**0.5 * x[counted[i], j].sum().item())
