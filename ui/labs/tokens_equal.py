"""Equal tokens get equal vectors, until the position code is added."""

import streamlit as st
import torch

from transformer_core import position_code
from transformer_core.embeddings import largest_differences
from ui import controls
from ui.caption import caption, provenance
from ui.drawing import board
from ui.figures.arithmetic import equation, number, operand
from ui.figures.board import Cell, Panel, Source
from ui.labs.tokens_examples import seeded_embeddings
from ui.predict import predict_choice
from ui.shell import Chapter
from ui.whole_numbers import NotNumbers, whole_numbers

D_MODEL, VOCAB, SEED = 16, 10, 0
MOST_TOKENS = 12
OPTIONS = ("none", "some", "all")


@st.fragment
def equal_section(chapter: Chapter) -> None:
    say = chapter.say
    st.markdown(say("equal_rows.lead"))
    if not predict_choice(chapter, "equal", OPTIONS, "none"):
        return
    left, right = st.columns([3, 2], vertical_alignment="bottom")
    with left:
        text = controls.text(chapter, "repeated")
    with right:
        positions = controls.toggle(chapter, "positions")
    try:
        tokens = whole_numbers(text, 0, VOCAB - 1, MOST_TOKENS)
    except NotNumbers as problem:
        st.warning(say(f"tokens_wrong.{problem.key}", **problem.values))
        return
    with torch.no_grad():
        x = seeded_embeddings(D_MODEL, VOCAB, SEED)(torch.tensor([tokens]))[0]
    if positions:
        x = x + position_code(len(tokens), D_MODEL)
    differences = largest_differences(x)
    names = [str(token) for token in tokens]
    panels = [
        Panel(
            "x",
            x.numpy(),
            title=say("equal_rows.with_code" if positions else "equal_rows.without_code"),
            row_labels=names,
            row_axis=say("sequence_row_axis"),
            col_labels=[str(dim) for dim in range(D_MODEL)],
            col_axis=say("dimension_axis"),
            digits=4,
            meaning="encoder",
        ),
        Panel(
            "differences",
            differences.numpy(),
            title=say("equal_rows.differences"),
            row_labels=names,
            row_axis=say("sequence_row_axis"),
            col_labels=names,
            scale="magnitude",
            digits=4,
            sources=[Source("x", "row", "all"), Source("x", "column", "all")],
            place=(0, 1),
        ),
    ]
    chosen = board(chapter, "equal", panels, cell="repeat_cell", alt=say("equal_rows.alt")).chosen
    st.html(_arithmetic(chapter, x, chosen))
    added = f" + position_code({len(tokens)}, {D_MODEL})" if positions else ""
    caption(
        chapter,
        "equal",
        provenance(f"largest_differences(x), Embeddings({D_MODEL}, {VOCAB}){added}", *differences.shape)
        + f" · seed {SEED}",
        numbers=differences.numpy(),
        columns=names,
        code=[largest_differences],
        snippet=(
            "import torch\nfrom transformer_core import Embeddings, position_code\n"
            "from transformer_core.embeddings import largest_differences\n\n"
            f"torch.manual_seed({SEED})\n"
            f"x = Embeddings({D_MODEL}, {VOCAB})(torch.tensor([{list(tokens)}]))[0]{added}\n"
            "print(largest_differences(x))\n"
        ),
    )
    st.markdown(say("equal_rows.text"))


def _arithmetic(chapter: Chapter, x: torch.Tensor, cell: Cell | None) -> str:
    """Two rows lie as far apart as the dimension in which they differ most."""
    if cell is None or cell[0] != "differences":
        return chapter.say("equal_rows.choose")
    _, i, j = cell
    gaps = (x[i] - x[j]).abs()
    dim = int(gaps.argmax())
    a, b = (operand(x[at, dim].item(), "encoder", 4) for at in (i, j))
    largest = f"|x[{i}, {dim}] − x[{j}, {dim}]|"
    return equation(f"max |x[{i}] − x[{j}]|", largest, f"|{a} − {b}|", result=gaps[dim].item()) + (
        chapter.say("equal_rows.everywhere", dimensions=number(x.size(1))) if not gaps.any() else ""
    )
