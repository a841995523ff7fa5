"""Two ways to compute the code, and two orders of its columns: the same code, up to rounding and renaming."""

from dataclasses import replace

import numpy as np
import torch
from torch import Tensor

from transformer_core.positions import concatenated, direct_frequencies, frequencies, position_code
from ui.chapters.positions.values import EVEN, code_panel, make_even
from ui.figures import Board, Figure, curves, number, runnable
from ui.figures.formula import I, Matrix, by_column
from ui.sections import AnyChapter, Chapter, Section, controls, provenance, show
from ui.settings.fields import Settings, whole

LAYOUT_LENGTH, LAYOUT_D = 24, 16
WAYS = ("exp_32", "direct_32", "exp_64")


class Forms(Settings):
    form_d: int = whole(512, 0, 512)
    form_at: int = whole(4999, 1, 4999)  # the last position of the notes' code


def errors_of_sines(d_model: int, pos: int) -> Tensor:
    """How far each pair's sine at a position is from the truth, the power in float64, in WAYS: (d_model / 2, 3)."""
    truth = (pos * direct_frequencies(d_model, dtype=torch.float64)).sin()
    ways = frequencies(d_model), direct_frequencies(d_model), frequencies(d_model, dtype=torch.float64)
    return torch.stack([((pos * omega).sin().double() - truth).abs() for omega in ways], dim=1)


def all_sines_first(length: int, d_model: int) -> Tensor:
    return concatenated(position_code(length, d_model))


@Section("forms", settings=Forms, text="lead")
def forms(chapter: Chapter[Forms]) -> None:
    say = chapter.say
    make_even(chapter, "form_d")
    d_model, pos = controls.side_by_side(chapter, form_d=EVEN, form_at={})
    errors = errors_of_sines(d_model, pos).numpy()
    names = [say(f"forms.{way}") for way in WAYS]
    logs = np.log10(errors, where=errors > 0, out=np.full_like(errors, np.nan))
    picture = curves(
        np.arange(d_model // 2),
        dict(zip(names, logs.T)),
        x_title=say("pair_axis"),
        y_title=say("forms.axis", pos=pos),
        markers=True,
        y_range=(-18, -2),
        height=300,
    )
    figure = Figure(
        "forms",
        picture,
        provenance(f"sin({pos} · frequencies({d_model}))", d_model // 2),
        numbers=errors,
        columns=names,
        code=(errors_of_sines, frequencies, direct_frequencies),
        program=runnable(errors_of_sines, d_model, pos),
        alt=say("forms.alt", pos=pos),
    )
    show(chapter, figure)
    largest = (number(float(error.max()), 2) for error in errors.T)
    chapter.write("forms.text", pos=pos, **dict(zip(WAYS, largest)))


@Section("layouts", cell="layout_cell", text="lead")
def layouts(chapter: AnyChapter) -> None:
    say = chapter.say
    code = position_code(LAYOUT_LENGTH, LAYOUT_D)
    other = all_sines_first(LAYOUT_LENGTH, LAYOUT_D)
    origin = concatenated(torch.arange(LAYOUT_D).unsqueeze(0))[0].tolist()  # where each column came from
    names = [("cos " if dim % 2 else "sin ") + str(dim // 2) for dim in range(LAYOUT_D)]
    interleaved = replace(
        code_panel(chapter, "interleaved", code.numpy(), say("layouts.interleaved")),
        col_labels=names,
        col_axis=say("layouts.column_axis"),
    )
    moved = replace(
        interleaved,
        key="concatenated",
        values=other.numpy(),
        title=say("layouts.concatenated"),
        col_labels=[names[dim] for dim in origin],
        symbol="c",
        made=by_column(*(Matrix("interleaved")[I, dim] for dim in origin)),
        place=(0, 1),
    )
    figure = Figure(
        "layouts",
        Board([interleaved, moved]),
        provenance(f"concatenated(position_code({LAYOUT_LENGTH}, {LAYOUT_D}))", *other.shape),
        columns=[str(dim) for dim in origin],
        code=(concatenated,),
        program=runnable(all_sines_first, LAYOUT_LENGTH, LAYOUT_D),
    )
    show(chapter, figure)
    gap = (code @ code.T - other @ other.T).abs().max().item()
    chapter.write("layouts.text", gap=number(gap, 2))
