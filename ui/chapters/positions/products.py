"""PE·PEᵀ: how alike two positions are, which depends on their distance only."""

import numpy as np
import torch
from torch import Tensor

from transformer_core.positions import position_code, product_at_distance
from ui.chapters.positions.values import EVEN, code_panel, make_even
from ui.figures import Board, Figure, Marks, Panel, YAxis, number, plotted, runnable, scale_of
from ui.figures.formula import I, J, K, Matrix, total
from ui.sections import Chapter, Choice, Section, controls, provenance, show
from ui.settings.fields import Settings, whole

PERIOD = 8  # positions after which a code with orthogonal columns begins anew

ASK_DISTANCE = Choice("ask_distance", ("places", "distance", "nothing"), right="distance")


class Products(Settings):
    product_length: int = whole(32, 4, 48)
    product_d: int = whole(20, 0, 64)


def products_of(length: int, d_model: int) -> Tensor:
    """PE·PEᵀ: (length, length)."""
    code = position_code(length, d_model)
    return code @ code.T


def by_distance(length: int, d_model: int) -> Tensor:
    """Each distance, and the product of two positions that far apart: (length, 2)."""
    distances = torch.arange(length)
    return torch.stack([distances, product_at_distance(distances, d_model)], dim=1)


@Section("products", settings=Products, cell="product_cell", text="lead", lesson=(ASK_DISTANCE,))
def products(chapter: Chapter[Products]) -> None:
    say = chapter.say
    make_even(chapter, "product_d")
    length, d_model = controls.side_by_side(chapter, product_length={}, product_d=EVEN)
    code = position_code(length, d_model).numpy()
    alike = products_of(length, d_model).numpy()
    chosen = show(chapter, _matrices(chapter, code, alike))
    table = by_distance(length, d_model).numpy()
    points = {}
    if chosen and chosen[0] == "products":
        _, i, j = chosen
        points[f"PE[{i}]·PE[{j}]"] = (float(abs(i - j)), float(alike[i, j]))
    figure = plotted(
        "distances",
        table,
        [say("distance_axis"), say("product")],
        provenance(f"product_at_distance(torch.arange({length}), {d_model})", length),
        code=(product_at_distance,),
        program=runnable(by_distance, length, d_model),
        y_axis=YAxis("PE·PEᵀ", range=(-d_model / 4, d_model * 0.6)),
        marks=Marks(points=points, levels={"d_model / 2": d_model / 2}),
        height=220,
        alt=say("products.curve_alt"),
    )
    show(chapter, figure)
    spread = max(float(np.ptp(np.diagonal(alike, k))) for k in range(length))
    nearest = torch.pdist(position_code(length, d_model, dtype=torch.float64)).min().item()
    chapter.write("products.text", spread=number(spread, 2), half=number(d_model / 2), nearest=number(nearest, 3))
    waves = _repeating()
    chapter.write(
        "products.unique",
        columns=number(_alike(position_code(length, d_model, dtype=torch.float64).T), 6),
        neighbours=number(float(table[1, 1]) / (d_model / 2), 3),
        exact=number(_alike(waves.T), 1),
        period=PERIOD,
        apart=number((waves[PERIOD] - waves[0]).norm().item(), 1),
    )


def _alike(vectors: Tensor) -> float:
    """The largest |cosine| between two of the rows."""
    scaled = torch.nn.functional.normalize(vectors, dim=1)
    return float((scaled @ scaled.T).fill_diagonal_(0.0).abs().max())


def _repeating() -> Tensor:
    """A code of sines and cosines whose waves all fit into PERIOD positions, twice that long: (16, 6) float64."""
    angles = torch.arange(2 * PERIOD).double()[:, None] * (
        2 * torch.pi / PERIOD * torch.arange(1, PERIOD // 2).double()
    )
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)


def _matrices(chapter: Chapter[Products], code: np.ndarray, alike: np.ndarray) -> Figure:
    say, (length, d_model) = chapter.say, code.shape
    rows = code_panel(chapter, "code", code, "PE")
    names = rows.row_labels
    pairs = Panel(
        "products",
        alike,
        title="PE·PEᵀ",
        row_labels=names,
        row_axis=say("position_axis"),
        col_labels=names,
        col_axis=say("other_position_axis"),
        scale=scale_of(alike),
        high=d_model / 2,
        digits=4,
        symbol="s",
        made=total(K, d_model, Matrix("code")[I, K] * Matrix("code")[J, K]),
    )
    return Figure(
        "products",
        Board([rows, pairs]),
        provenance(f"code @ code.T, code = position_code({length}, {d_model})", *alike.shape),
        columns=names,
        code=(position_code,),
        program=runnable(products_of, length, d_model),
        alt=say("products.alt", length=length),
    )
