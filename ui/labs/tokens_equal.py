"""Equal tokens get equal vectors, until the position code is added."""

import streamlit as st
import torch
from torch import Tensor

from transformer_core import position_code
from transformer_core.embeddings import largest_differences
from ui import controls
from ui.caption import caption, provenance
from ui.drawing import board
from ui.figures.arithmetic import equation, operand
from ui.figures.board import Cell, Panel, Source
from ui.labs.tokens_examples import seeded_embeddings
from ui.predict import predict_choice
from ui.shell import Chapter
from ui.whole_numbers import NotNumbers, whole_numbers

D_MODEL, VOCAB, SEED = 16, 10, 0
MOST_TOKENS = 12
OPTIONS = ("none", "some", "all")


def equal_section(chapter: Chapter) -> None:
    say = chapter.say
    chapter.write("equal_rows.lead")
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
    embeddings = seeded_embeddings(D_MODEL, VOCAB, SEED)
    code = position_code(len(tokens), D_MODEL) if positions else None
    with torch.no_grad():
        looked_up = embeddings(torch.tensor([tokens]))[0]
    x = looked_up if code is None else looked_up + code
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
    st.html(_arithmetic(chapter, x, chosen, tokens, looked_up, code))
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
            "differences = largest_differences(x)\nprint(differences)\n"
        ),
    )
    chapter.write("equal_rows.text")


def _arithmetic(
    chapter: Chapter,
    x: Tensor,
    cell: Cell | None,
    tokens: tuple[int, ...],
    looked_up: Tensor,
    code: Tensor | None,
) -> str:
    """Two rows lie as far apart as the dimension in which they differ most."""
    if cell is None:
        return chapter.say("equal_rows.choose")
    key, i, j = cell
    if key == "x":
        name, terms = f"√{D_MODEL} · E[{tokens[i]}, {j}]", [operand(looked_up[i, j].item(), "encoder", 4)]
        if code is not None:
            name, terms = f"{name} + PE[{i}, {j}]", [*terms, operand(code[i, j].item(), digits=4)]
        return equation(f"x[{i}, {j}]", name, " + ".join(terms), result=x[i, j].item())
    gaps = (x[i] - x[j]).abs()
    if not gaps.any():
        return equation(f"max |x[{i}] − x[{j}]|", result=0.0) + chapter.say("equal_rows.everywhere", d_model=D_MODEL)
    dim = int(gaps.argmax())
    a, b = (operand(x[at, dim].item(), "encoder", 4) for at in (i, j))
    sides = [f"|x[{i}, {dim}] − x[{j}, {dim}]|", f"|{a} − {b}|"]
    return equation(f"max |x[{i}] − x[{j}]|", *sides, result=gaps[dim].item())
