"""A shift turns every pair like the hand of a clock: the hands, the rotation matrix, and what it leaves over."""

import streamlit as st
import torch

from transformer_core.positions import frequencies, position_code, shift_rotation
from ui import controls
from ui.caption import caption, provenance
from ui.drawing import board
from ui.figures.arithmetic import number, product
from ui.figures.board import Panel, Source
from ui.figures.clocks import clocks
from ui.labs.positions_words import SMALLEST, code_formula, make_even, rotation_formula
from ui.predict import predict_choice
from ui.shell import Chapter

CHECKED = 1000  # positions over which the residual is measured
ANGLE_OPTIONS = ("pair_and_shift", "position", "shift")


def rotation_section(chapter: Chapter) -> None:
    say = chapter.say
    chapter.write("clocks.lead")
    if not predict_choice(chapter, "angle", ANGLE_OPTIONS, "pair_and_shift"):
        return
    make_even(chapter, "turn_d")
    columns = st.columns(3)
    with columns[0]:
        pos = controls.slider(chapter, "pos")
    with columns[1]:
        shift = controls.slider(chapter, "shift")
    with columns[2]:
        d_model = controls.slider(chapter, "turn_d", SMALLEST, step=2)
    omega = frequencies(d_model, dtype=torch.float64).numpy()
    names = [say("pair", pair=pair) for pair in range(len(omega))]
    picture = clocks(
        pos * omega,
        (pos + shift) * omega,
        names,
        chapter.mode,
        alt=say("clocks.alt", pos=pos, shift=shift),
    )
    st.html(picture)
    st.caption(say("clocks.key", pos=pos, moved=pos + shift))

    code = position_code(CHECKED + shift, d_model, dtype=torch.float64)
    rotation = shift_rotation(shift, d_model)
    residual = (code[:CHECKED] @ rotation.T - code[shift : CHECKED + shift]).abs().max().item()
    turned = rotation @ code[pos]
    dims = [str(dim) for dim in range(d_model)]
    panels = [
        Panel(
            "rotation",
            rotation.numpy(),
            title=say("rotation.title", shift=shift),
            row_labels=dims,
            row_axis=say("dimension_axis"),
            col_labels=dims,
            col_axis=say("dimension_axis"),
            high=1.0,
            digits=4,
        ),
        _column("here", code[pos], f"PE[{pos}]", 1),
        _column("turned", turned, f"R·PE[{pos}]", 2, [Source("rotation", "row", "all"), Source("here", "all", (0,))]),
        _column("there", code[pos + shift], f"PE[{pos + shift}]", 3),
    ]
    chosen = board(chapter, "rotation", panels, cell="turn_cell", alt=say("rotation.alt", shift=shift)).chosen
    if chosen:
        st.html(_arithmetic(*chosen, rotation, code[pos], pos, shift))
    caption(
        chapter,
        "rotation",
        provenance(f"shift_rotation({shift}, {d_model})", *rotation.shape),
        numbers=rotation.numpy(),
        columns=dims,
        code=[shift_rotation],
        snippet=(
            "import torch\nfrom transformer_core import position_code, shift_rotation\n\n"
            f"rotation = shift_rotation({shift}, {d_model})\n"
            f"code = position_code({CHECKED + shift}, {d_model}, dtype=torch.float64)\n"
            f"residual = (code[:{CHECKED}] @ rotation.T - code[{shift}:]).abs().max()\nprint(rotation, residual)\n"
        ),
    )
    chapter.write("rotation.text", residual=number(residual, 2), last=CHECKED - 1, shift=shift)


def _arithmetic(
    key: str, row: int, column: int, rotation: torch.Tensor, here: torch.Tensor, pos: int, shift: int
) -> str:
    if key == "rotation":
        return rotation_formula(row, column, shift, len(here))
    if key == "turned":
        return product(f"R·PE[{pos}][{row}]", rotation[row].tolist(), here.tolist())
    return code_formula(pos if key == "here" else pos + shift, row, len(here))


def _column(key: str, values: torch.Tensor, title: str, at: int, sources: list[Source] | None = None) -> Panel:
    return Panel(
        key, values.unsqueeze(1).numpy(), title=title, high=1.0, digits=4, sources=sources or (), place=(0, at)
    )
