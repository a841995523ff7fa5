"""Two ways to compute the code, and two orders of its columns: the same code, up to rounding and renaming."""

from collections.abc import Sequence

import numpy as np
import streamlit as st
import torch

from transformer_core.positions import concatenated, direct_frequencies, frequencies, position_code
from ui import controls
from ui.caption import caption, provenance
from ui.drawing import board, chart
from ui.figures.arithmetic import number
from ui.figures.board import Panel, Source, by_column
from ui.figures.curves import curves
from ui.labs.positions_words import SMALLEST, code_formula, make_even
from ui.shell import Chapter

LAYOUT_LENGTH, LAYOUT_D = 24, 16


def form_section(chapter: Chapter) -> None:
    say = chapter.say
    chapter.write("forms.lead")
    make_even(chapter, "form_d")
    left, right = st.columns(2)
    with left:
        d_model = controls.slider(chapter, "form_d", SMALLEST, step=2)
    with right:
        pos = controls.slider(chapter, "form_at")
    truth = (pos * direct_frequencies(d_model, dtype=torch.float64)).sin()
    forms = {
        say("forms.exp_32"): frequencies(d_model),
        say("forms.direct_32"): direct_frequencies(d_model),
        say("forms.exp_64"): frequencies(d_model, dtype=torch.float64),
    }
    errors = {name: ((pos * omega).sin().double() - truth).abs().numpy() for name, omega in forms.items()}
    picture = curves(
        np.arange(d_model // 2),
        {name: np.log10(error, where=error > 0, out=np.full_like(error, np.nan)) for name, error in errors.items()},
        chapter.mode,
        x_title=say("pair_axis"),
        y_title=say("forms.axis", pos=pos),
        markers=True,
        y_range=(-18, -2),
        height=300,
    )
    chart(chapter, "forms", picture, alt=say("forms.alt", pos=pos))
    caption(
        chapter,
        "forms",
        provenance(f"sin({pos} · frequencies({d_model}))", d_model // 2),
        numbers=np.stack(list(errors.values()), axis=1),
        columns=list(errors),
        code=[frequencies, direct_frequencies],
        snippet=(
            "import torch\nfrom transformer_core.positions import direct_frequencies, frequencies\n\n"
            f"truth = ({pos} * direct_frequencies({d_model}, dtype=torch.float64)).sin()\n"
            f"forms = [frequencies({d_model}), direct_frequencies({d_model})]\n"
            f"forms.append(frequencies({d_model}, dtype=torch.float64))\n"
            f"errors = [(({pos} * omega).sin().double() - truth).abs() for omega in forms]\n"
            "print([error.max() for error in errors])\n"
        ),
    )
    largest = [number(float(error.max()), 2) for error in errors.values()]
    chapter.write("forms.text", exp_32=largest[0], direct_32=largest[1], exp_64=largest[2], pos=pos)


def layout_section(chapter: Chapter) -> None:
    say = chapter.say
    chapter.write("layouts.lead")
    code = position_code(LAYOUT_LENGTH, LAYOUT_D)
    other = concatenated(code)
    origin = concatenated(torch.arange(LAYOUT_D).unsqueeze(0))[0].tolist()  # where each column came from
    panels = [
        _layout(chapter, "interleaved", code, range(LAYOUT_D), 0, []),
        _layout(chapter, "concatenated", other, origin, 1, [Source("interleaved", "row", by_column(origin))]),
    ]
    chosen = board(chapter, "layouts", panels, cell="layout_cell", alt=say("layouts.alt")).chosen
    if chosen:
        key, pos, column = chosen
        st.html(code_formula(pos, origin[column] if key == "concatenated" else column, LAYOUT_D))
    gap = (code @ code.T - other @ other.T).abs().max().item()
    caption(
        chapter,
        "layouts",
        provenance(f"concatenated(position_code({LAYOUT_LENGTH}, {LAYOUT_D}))", *other.shape),
        numbers=other.numpy(),
        columns=[str(dim) for dim in origin],
        code=[concatenated],
        snippet=(
            "from transformer_core import position_code\nfrom transformer_core.positions import concatenated\n\n"
            f"code = position_code({LAYOUT_LENGTH}, {LAYOUT_D})\nother = concatenated(code)\n"
            "print(other, (code @ code.T - other @ other.T).abs().max())\n"
        ),
    )
    chapter.write("layouts.text", gap=number(gap, 2))


def _layout(
    chapter: Chapter, key: str, code: torch.Tensor, columns: Sequence[int], at: int, sources: list[Source]
) -> Panel:
    return Panel(
        key,
        code.numpy(),
        title=chapter.say(f"layouts.{key}"),
        row_labels=[str(pos) for pos in range(len(code))],
        row_axis=chapter.say("position_axis"),
        col_labels=[("cos " if dim % 2 else "sin ") + str(dim // 2) for dim in columns],
        col_axis=chapter.say("layouts.column_axis"),
        high=1.0,
        digits=4,
        sources=sources,
        place=(0, at),
    )
