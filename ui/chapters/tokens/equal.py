"""Equal tokens get equal vectors, until the position code is added."""

from functools import partial

import streamlit as st
import torch

from transformer_core import position_code
from transformer_core.embeddings import largest_differences
from ui import controls
from ui.caption import provenance
from ui.chapters.tokens.examples import seeded_embeddings
from ui.chapters.tokens.questions import EQUAL
from ui.figures.board import Operand, Panel
from ui.figures.figure import Board, Figure
from ui.figures.formula import I, J, K, Matrix, Number, absolute, largest, root
from ui.predict import predict
from ui.shell import Chapter
from ui.show import show
from ui.whole_numbers import NotNumbers, whole_numbers

D_MODEL, VOCAB, SEED = 16, 10, 0
MOST_TOKENS = 12


def equal_rows(chapter: Chapter) -> None:
    say = chapter.say
    if not predict(chapter, EQUAL):
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
    code = position_code(len(tokens), D_MODEL)
    with torch.no_grad():
        looked_up = embeddings(torch.tensor([tokens]))[0]
    x = looked_up + code if positions else looked_up
    differences = largest_differences(x)
    names = [str(token) for token in tokens]
    embedding = root(Number(D_MODEL, "d_model")) * Matrix("table")[I.of(tokens, "id"), J]
    panel = partial(Panel, row_labels=names, row_axis=say("sequence_row_axis"), digits=4)
    panels = [
        panel(
            "x",
            x.numpy(),
            title=say("equal_rows.with_code" if positions else "equal_rows.without_code"),
            col_labels=[str(dim) for dim in range(D_MODEL)],
            col_axis=say("dimension_axis"),
            meaning="encoder",
            made=embedding + Matrix("code")[I, J] if positions else embedding,
        ),
        panel(
            "differences",
            differences.numpy(),
            title=say("equal_rows.differences"),
            col_labels=names,
            scale="magnitude",
            symbol="Δ",
            made=largest(K, D_MODEL, absolute(Matrix("x")[I, K] - Matrix("x")[J, K])),
            place=(0, 1),
        ),
    ]
    table = Operand("table", embeddings.lut.weight.detach().numpy(), "E", "encoder")
    added = f" + position_code({len(tokens)}, {D_MODEL})" if positions else ""
    figure = Figure(
        "equal",
        Board(panels, [table, Operand("code", code.numpy(), "PE")], cell="repeat_cell"),
        say("equal_rows.alt"),
        provenance(f"largest_differences(x), Embeddings({D_MODEL}, {VOCAB}){added}", *differences.shape)
        + f" · seed {SEED}",
        columns=names,
        code=(largest_differences,),
        program=(
            f"import torch\n\ntorch.manual_seed({SEED})\n"
            f"table = torch.nn.Embedding({VOCAB}, {D_MODEL})\n"
            f"x = table(torch.tensor({list(tokens)})).detach() * {D_MODEL} ** 0.5\n"
            + (ADD_THE_CODE if positions else "")
            + "shown = (x.unsqueeze(1) - x.unsqueeze(0)).abs().amax(-1)  # of any two rows, in any dimension\n"
            "print(shown)\n"
        ),
    )
    show(chapter, figure)
    chapter.write("equal_rows.text")


ADD_THE_CODE = f"""\
angles = torch.arange(len(x)).unsqueeze(1) / 10000 ** (torch.arange(0, {D_MODEL}, 2) / {D_MODEL})
x[:, 0::2] += angles.sin()
x[:, 1::2] += angles.cos()
"""
