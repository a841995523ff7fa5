"""The sinusoidal position code (paper, section 3.5)."""

from functools import partial

import numpy as np
import streamlit as st

from transformer_core.positions import frequencies, position_steps
from ui import controls
from ui.caption import caption, provenance
from ui.drawing import board, chart
from ui.figures.board import Panel
from ui.figures.curves import curves, tint
from ui.fragment import fragment
from ui.labs.positions_beyond import beyond_section
from ui.labs.positions_forms import form_section, layout_section
from ui.labs.positions_order import order_section
from ui.labs.positions_products import product_section
from ui.labs.positions_rotation import rotation_section
from ui.labs.positions_sum import sum_section
from ui.labs.positions_wavelengths import wavelength_section
from ui.labs.positions_words import SMALLEST, code_formula, dimensions, make_even
from ui.section import Lab, section
from ui.settings.positions import Positions
from ui.shell import close_chapter, open_chapter

SECTIONS: dict[str, tuple[Lab, str]] = {  # with the settings that are theirs
    "wavelengths": (wavelength_section, "slowest wave_d wave_base"),
    "products": (product_section, "product_length product_d product_cell"),
    "clocks": (rotation_section, "turn_d pos shift turn_cell angle"),
    "forms": (form_section, "form_d form_at"),
    "layouts": (layout_section, "layout_cell"),
    "sum": (sum_section, "phrase size sum_first sum_cell"),
    "order": (order_section, "order_seed order_first order_cell order"),
    "beyond": (beyond_section, "beyond beyond_cell"),
}

chapter = open_chapter("positions", Positions)
say = chapter.say


@fragment
def the_code() -> None:
    make_even(chapter, "d_model")
    columns = st.columns(4)
    with columns[0]:
        length = controls.slider(chapter, "length")
    with columns[1]:
        d_model = controls.slider(chapter, "d_model", SMALLEST, step=2)
    with columns[2]:
        base = 10.0 ** controls.slider(chapter, "base", step=0.25)
    with columns[3]:
        typed = controls.text(chapter, "dims")
    dims = dimensions(chapter, typed, d_model)
    code = position_steps(length, d_model, base).code.numpy()

    left, right = st.columns([2, 3])
    with left:
        panel = Panel(
            "code",
            code,
            row_axis=say("position_axis"),
            col_axis=say("dimension_axis"),
            row_labels=[str(pos) for pos in range(length)],
            col_labels=[str(dim) for dim in range(d_model)],
            high=1.0,
            digits=4,
        )
        chosen = board(chapter, "code", [panel], alt=say("code.alt", length=length, d_model=d_model)).chosen
    with right:
        st.html(code_formula(*chosen[1:], d_model, base) if chosen else say("code.choose"))
        lines = {say("dim", dim=dim): code[:, dim] for dim in dims}
        points = {say("dim", dim=chosen[2]): (chosen[1], code[chosen[1:]])} if chosen else {}
        cosines = [say("dim", dim=dim) for dim in dims if dim % 2]
        pairs = sorted({dim // 2 for dim in dims})
        picture = curves(
            np.arange(length),
            lines,
            chapter.mode,
            x_title=say("position_axis"),
            y_title="PE",
            colors=[tint(pairs.index(dim // 2), len(pairs), chapter.mode) for dim in dims],
            dashed=cosines,
            points=points,
            y_range=(-1.1, 1.1),
            height=400,
        )
        chart(chapter, "curves", picture, alt=say("curves.alt", dims=", ".join(map(str, dims))))
    origin = provenance(f"position_code({length}, {d_model}, base={base:.6g})", *code.shape)
    snippet = _snippet(length, d_model, base)
    caption(chapter, "code", origin, numbers=code, code=[position_steps, frequencies], snippet=snippet)


def _snippet(length: int, d_model: int, base: float) -> str:
    return (
        "import torch\n\n"
        f"length, d_model, base = {length}, {d_model}, {base!r}\n"
        "frequencies = base ** -(torch.arange(0, d_model, 2) / d_model)  # one per sine/cosine pair\n"
        "angles = torch.arange(length).unsqueeze(1) * frequencies\n"
        "code = torch.empty(length, d_model)\n"
        "code[:, 0::2] = angles.sin()\n"
        "code[:, 1::2] = angles.cos()\n"
        "print(code)\n"
    )


the_code()
chapter.write("code.text")
for name, (draw, owns) in SECTIONS.items():
    section(chapter, name, partial(draw, chapter), owns=owns)
close_chapter(chapter)
