"""A shift turns every pair like the hand of a clock: the hands, the rotation matrix, and what it leaves over."""

import streamlit as st
import torch

from transformer_core.positions import frequencies, position_code, shift_rotation
from ui.chapters.positions.figures.clocks import clocks
from ui.chapters.positions.values import EVEN, angle, entry, make_even
from ui.figures import Board, Drawing, Figure, Panel, number, runnable
from ui.figures.formula import Cases, Formula, I, K, Matrix, Number, by_cell, by_row, cos, sin, total
from ui.sections import Chapter, Choice, Section, controls, provenance, show
from ui.settings.fields import Settings, whole

CHECKED = 1000  # positions over which the residual is measured

ANGLE = Choice("angle", ("pair_and_shift", "position", "shift"), right="pair_and_shift")


class Clocks(Settings):
    turn_d: int = whole(8, 0, 24)
    pos: int = whole(5, 0, 99)
    shift: int = whole(3, 0, 50)


def turned(pos: int, shift: int, d_model: int) -> torch.Tensor:
    """The angle of each pair at a position and after a shift, in radians: (d_model / 2, 2) float64."""
    omega = frequencies(d_model, dtype=torch.float64)
    return torch.stack([pos * omega, (pos + shift) * omega], dim=1)


@Section("clocks", settings=Clocks, cell="turn_cell", text="lead", first=ANGLE)
def clock_hands(chapter: Chapter[Clocks]) -> None:
    say = chapter.say
    make_even(chapter, "turn_d")
    pos, shift, d_model = controls.side_by_side(chapter, pos={}, shift={}, turn_d=EVEN)
    angles = turned(pos, shift, d_model).numpy()
    before, after = angles.T
    names = [say("pair", pair=pair) for pair in range(len(angles))]
    dials = Figure(
        "clocks",
        Drawing(clocks(before, after, names, alt=say("clocks.alt", pos=pos, shift=shift))),
        provenance(f"frequencies({d_model})", len(angles)),
        angles,
        [f"{pos}·ω", f"{pos + shift}·ω"],
        code=(frequencies,),
        program=runnable(turned, pos, shift, d_model),
    )
    show(chapter, dials)
    st.caption(say("clocks.key", pos=pos, moved=pos + shift))
    code = position_code(CHECKED + shift, d_model, dtype=torch.float64)
    rotation = shift_rotation(shift, d_model)
    show(chapter, _matrices(chapter, rotation, code, pos, shift))
    residual = (code[:CHECKED] @ rotation.T - code[shift : CHECKED + shift]).abs().max().item()
    chapter.write("rotation.text", residual=number(residual, 2), last=CHECKED - 1, shift=shift)


def _matrices(chapter: Chapter[Clocks], rotation: torch.Tensor, code: torch.Tensor, pos: int, shift: int) -> Figure:
    say, d_model = chapter.say, len(rotation)
    dims = [str(dim) for dim in range(d_model)]
    turn = Panel(
        "rotation",
        rotation.numpy(),
        title=say("rotation.title", shift=shift),
        row_labels=dims,
        row_axis=say("dimension_axis"),
        col_labels=dims,
        col_axis=say("dimension_axis"),
        high=1.0,
        digits=4,
        symbol="R",
        made=by_cell(*(_turned(i, j, shift, d_model) for i in range(d_model) for j in range(d_model))),
    )
    product = total(K, d_model, Matrix("rotation")[I, K] * Matrix("here")[K, 0])
    panels = [
        turn,
        _column("here", code[pos], f"PE[{pos}]", 1, _code_at(pos, "pos", d_model)),
        _column("turned", rotation @ code[pos], f"R·PE[{pos}]", 2, product),
        _column("there", code[pos + shift], f"PE[{pos + shift}]", 3, _code_at(pos + shift, "pos + k", d_model)),
    ]
    return Figure(
        "rotation",
        Board(panels, result="rotation"),
        provenance(f"shift_rotation({shift}, {d_model})", *rotation.shape),
        columns=dims,
        code=(shift_rotation,),
        program=runnable(shift_rotation, shift, d_model),
        alt=say("rotation.alt", shift=shift),
    )


def _turned(row: int, column: int, shift: int, d_model: int) -> Formula:
    """Cosines on the diagonal, sines beside it, and nothing between different pairs."""
    if row // 2 != column // 2:
        return Number(0)
    turn = angle(Number(shift, "k"), row, d_model)
    return cos(turn) if row == column else -sin(turn) if row > column else sin(turn)


def _code_at(pos: int, name: str, d_model: int) -> Cases:
    return by_row(*(entry(Number(pos, name), dim, d_model) for dim in range(d_model)))


def _column(key: str, values: torch.Tensor, title: str, at: int, made: Formula | Cases) -> Panel:
    return Panel(key, values.unsqueeze(1).numpy(), title=title, high=1.0, digits=4, made=made)
