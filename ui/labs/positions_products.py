"""PE·PEᵀ: how alike two positions are, which depends on their distance only."""

import numpy as np
import streamlit as st
import torch

from transformer_core.positions import position_code, product_at_distance
from ui import controls
from ui.caption import caption, provenance
from ui.drawing import board, chart
from ui.figures.arithmetic import number, product
from ui.figures.board import Panel, Source, scale_of
from ui.figures.curves import curves
from ui.labs.positions_words import SMALLEST, code_formula, make_even
from ui.shell import Chapter


def product_section(chapter: Chapter) -> None:
    say = chapter.say
    chapter.write("products.lead")
    make_even(chapter, "product_d")
    left, right = st.columns(2)
    with left:
        length = controls.slider(chapter, "product_length")
    with right:
        d_model = controls.slider(chapter, "product_d", SMALLEST, step=2)
    code = position_code(length, d_model).numpy()
    products = code @ code.T  # (length, length)
    names = [str(pos) for pos in range(length)]
    panels = [
        Panel(
            "code",
            code,
            title="PE",
            row_labels=names,
            row_axis=say("position_axis"),
            col_labels=[str(dim) for dim in range(d_model)],
            col_axis=say("dimension_axis"),
            high=1.0,
            digits=4,
        ),
        Panel(
            "products",
            products,
            title="PE·PEᵀ",
            row_labels=names,
            row_axis=say("position_axis"),
            col_labels=names,
            col_axis=say("other_position_axis"),
            scale=scale_of(products),
            high=d_model / 2,
            digits=4,
            sources=[Source("code", "row", "all"), Source("code", "column", "all")],
            place=(0, 1),
        ),
    ]
    chosen = board(chapter, "products", panels, cell="product_cell", alt=say("products.alt", length=length)).chosen
    distances = torch.arange(length)
    expected = product_at_distance(distances, d_model).numpy()
    points = {}
    if chosen and chosen[0] == "products":
        _, i, j = chosen
        name = f"PE[{i}]·PE[{j}]"
        st.html(product(name, code[i], code[j]))
        points[name] = (float(abs(i - j)), float(products[i, j]))
    elif chosen:
        st.html(code_formula(*chosen[1:], d_model))
    spread = max(float(np.ptp(np.diagonal(products, k))) for k in range(length))
    picture = curves(
        distances.numpy(),
        {say("product"): expected},
        chapter.mode,
        x_title=say("distance_axis"),
        y_title="PE·PEᵀ",
        points=points,
        levels={"d_model / 2": d_model / 2},
        y_range=(-d_model / 4, d_model * 0.6),
        height=220,
    )
    chart(chapter, "distances", picture, alt=say("products.curve_alt"))
    caption(
        chapter,
        "products",
        provenance(f"code @ code.T, code = position_code({length}, {d_model})", *products.shape),
        numbers=products,
        columns=names,
        code=[position_code, product_at_distance],
        snippet=(
            "from transformer_core import position_code\n\n"
            f"code = position_code({length}, {d_model})\nproducts = code @ code.T\nprint(products)\n"
        ),
    )
    nearest = torch.pdist(position_code(length, d_model, dtype=torch.float64)).min().item()
    chapter.write("products.text", spread=number(spread, 2), half=number(d_model / 2), nearest=number(nearest, 3))
