"""Two ways to compute the code, and two orders of its columns: the same code, up to rounding and renaming."""

from dataclasses import replace

import numpy as np
import torch

from transformer_core.positions import concatenated, direct_frequencies, frequencies, position_code
from ui.chapters.positions.values import EVEN, code_panel, code_program, make_even
from ui.figures.curves import curves
from ui.figures.figure import Board, Figure
from ui.figures.formula import I, Matrix, by_column
from ui.figures.number import number
from ui.frame.chapter import Chapter
from ui.page import controls
from ui.showing.caption import provenance
from ui.showing.show import show

LAYOUT_LENGTH, LAYOUT_D = 24, 16


def forms(chapter: Chapter) -> None:
    say = chapter.say
    make_even(chapter, "form_d")
    d_model, pos = controls.sliders(chapter, form_d=EVEN, form_at={})
    truth = (pos * direct_frequencies(d_model, dtype=torch.float64)).sin()
    ways = {
        say("forms.exp_32"): frequencies(d_model),
        say("forms.direct_32"): direct_frequencies(d_model),
        say("forms.exp_64"): frequencies(d_model, dtype=torch.float64),
    }
    errors = {name: ((pos * omega).sin().double() - truth).abs().numpy() for name, omega in ways.items()}
    picture = curves(
        np.arange(d_model // 2),
        {name: np.log10(error, where=error > 0, out=np.full_like(error, np.nan)) for name, error in errors.items()},
        x_title=say("pair_axis"),
        y_title=say("forms.axis", pos=pos),
        markers=True,
        y_range=(-18, -2),
        height=300,
    )
    figure = Figure(
        "forms",
        picture,
        say("forms.alt", pos=pos),
        provenance(f"sin({pos} · frequencies({d_model}))", d_model // 2),
        numbers=np.stack(list(errors.values()), axis=1),
        columns=list(errors),
        code=(frequencies, direct_frequencies),
        program=(
            f"import math\nimport torch\n\npos, d_model = {pos}, {d_model}\neven = torch.arange(0, d_model, 2)\n"
            "kinds = (torch.float32, torch.float64)\n"
            "by_exp = [torch.exp(even.to(kind) * -(math.log(10000) / d_model)) for kind in kinds]\n"
            "by_power = [1 / torch.tensor(10000, dtype=kind) ** (even.to(kind) / d_model) for kind in kinds]\n"
            "truth = (pos * by_power[1]).sin()\n"
            "errors = [((pos * omega).sin().double() - truth).abs() for omega in (by_exp[0], by_power[0], by_exp[1])]\n"
            "shown = torch.stack(errors, dim=1)\nprint(shown)\n"
        ),
    )
    show(chapter, figure)
    largest = [number(float(error.max()), 2) for error in errors.values()]
    chapter.write("forms.text", exp_32=largest[0], direct_32=largest[1], exp_64=largest[2], pos=pos)


def layouts(chapter: Chapter) -> None:
    say = chapter.say
    code = position_code(LAYOUT_LENGTH, LAYOUT_D)
    other = concatenated(code)
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
        Board([interleaved, moved], cell="layout_cell"),
        say("layouts.alt"),
        provenance(f"concatenated(position_code({LAYOUT_LENGTH}, {LAYOUT_D}))", *other.shape),
        columns=[str(dim) for dim in origin],
        code=(concatenated,),
        program=(
            f"{code_program(LAYOUT_LENGTH, LAYOUT_D)}"
            "shown = torch.cat([code[:, 0::2], code[:, 1::2]], dim=1)  # all sines, then all cosines\n"
            "print((code @ code.T - shown @ shown.T).abs().max())\nprint(shown)\n"
        ),
    )
    show(chapter, figure)
    gap = (code @ code.T - other @ other.T).abs().max().item()
    chapter.write("layouts.text", gap=number(gap, 2))
