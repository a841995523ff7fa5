"""Matrices as figures of Plotly, which is imported for a whole figure alone; pages draw theirs of the same parts."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from torch import Tensor

if TYPE_CHECKING:
    from plotly.graph_objects import Figure as Figure

SIDE, GAP = 230, 60  # px of a matrix, and between two
WIDE = 4  # matrices beside each other, at most
NAMED = 40  # rows or columns with their names; of more, every second or third has one
SHARES = ("weights", "dropped")  # steps whose numbers are shares of a whole
BLOCKED = -1e4  # a score that leaves no weight: it would leave no colours for the others
SEQUENTIAL = [[0.0, "#f7f7fb"], [1.0, "#3f4499"]]
SIGNED = [[0.0, "#b2432f"], [0.5, "#f7f7f7"], [1.0, "#2f66b2"]]


def heatmap(
    path: str,
    value: Tensor,
    *,
    sequence: int = 0,
    head: int | None = None,
    rows: Sequence[str] = (),
    columns: Sequence[str] = (),
    blocked: Tensor | None = None,
) -> "Figure":
    """A recorded value of one sequence: a matrix for each head, or for one, on one scale.

    value (batch, h, T, S), (batch, T, size) or (batch, size). Rows and columns are numbered unless they have labels.
    What is `blocked`, of the value's shape or one that broadcasts to it, is blank. Shares are coloured from 0 to 1,
    numbers of both signs around 0. ValueError for a sequence or a head that is not there, or numbers that are no
    matrices; ImportError without Plotly.
    """
    shown = _chosen(path, value, sequence, head)
    hidden = np.isinf(shown) | (shown <= BLOCKED)
    if blocked is not None:
        hidden |= _chosen(path, blocked.expand(value.shape), sequence, head) > 0
    shown[hidden] = math.nan
    numbers = shown[~np.isnan(shown)]
    low, high = (float(numbers.min()), float(numbers.max())) if numbers.size else (0.0, 1.0)
    share, signed = path.rpartition(".")[2] in SHARES, low < 0
    most = max(-low, high)
    ends = (0.0, 1.0) if share else (-most, most) if signed else (0.0, high)
    names = [f"head {head if head is not None else at}" for at in range(len(shown))] if value.dim() == 4 else [""]
    return _figure(path, shown, names, ends, SIGNED if signed else SEQUENTIAL, rows, columns)


def cells(
    values: np.ndarray,
    rows: Sequence[str] = (),
    columns: Sequence[str] = (),
    written: Sequence[Sequence[str]] | None = None,
) -> dict[str, Any]:
    """A matrix (rows, columns) as what Plotly draws: under the pointer row, column and number, or as that is `written`;
    without a number, blank."""
    y, x = (labelled(labels, size) for labels, size in zip((rows, columns), values.shape, strict=True))
    trace = {
        "type": "heatmap", "z": values, "xgap": 1, "ygap": 1,
        "customdata": [[f"{row} · {column}" for column in x] for row in y],
        "hovertemplate": f"%{{customdata}}<br>%{{{'z:.3g' if written is None else 'text'}}}<extra></extra>",
    }  # fmt: skip
    return trace if written is None else trace | {"text": written}


def matrix_axes(shape: tuple[int, ...], rows: Sequence[str] = (), columns: Sequence[str] = ()) -> list[dict[str, Any]]:
    """Those of a matrix of this shape, across and down, the first row above. Labels may repeat, so an axis counts and
    the labels are written at its numbers."""
    bare = {"showgrid": False, "zeroline": False}
    across, down = (labelled(labels, size) for labels, size in ((columns, shape[1]), (rows, shape[0])))
    ends = [-0.5, len(across) - 0.5], [len(down) - 0.5, -0.5]
    return [bare | {"range": end} | _ticks(labels) for end, labels in zip(ends, (across, down))]


def labelled(labels: Sequence[str], size: int) -> list[str]:
    """The labels, or else the numbers from 0."""
    return list(labels) or [str(at) for at in range(size)]


def _ticks(labels: Sequence[str]) -> dict[str, Any]:
    shown = range(0, len(labels), -(-len(labels) // NAMED) or 1)
    return {"tickvals": list(shown), "ticktext": [labels[at] for at in shown]}


def _chosen(path: str, value: Tensor, sequence: int, head: int | None) -> np.ndarray:
    """(matrices, rows, columns) of one sequence."""
    if value.dim() not in (2, 3, 4):
        raise ValueError(f"{path} is {tuple(value.shape)}: that is no matrix for each sequence")
    if not 0 <= sequence < len(value):
        raise ValueError(f"there is no sequence {sequence}: they are counted from 0 to {len(value) - 1}")
    one = value[sequence].detach().cpu().double().numpy()
    matrices = one.copy() if one.ndim == 3 else np.atleast_2d(one)[None].copy()
    if head is None:
        return matrices
    if value.dim() < 4 or not 0 <= head < len(matrices):
        raise ValueError(
            f"there is no head {head}: {path} has {len(matrices) if value.dim() == 4 else 'no'} heads, counted from 0"
        )
    return matrices[head : head + 1]


def _figure(
    path: str,
    shown: np.ndarray,
    names: Sequence[str],
    ends: tuple[float, float],
    colors: Sequence[Any],
    rows: Sequence[str],
    columns: Sequence[str],
) -> "Figure":
    try:
        from plotly.subplots import make_subplots
    except ImportError as problem:
        raise ImportError("a figure of Plotly needs it: pip install plotly") from problem
    wide = min(WIDE, len(shown))
    high = -(-len(shown) // wide)
    figure = make_subplots(high, wide, subplot_titles=list(names), shared_xaxes="all", shared_yaxes="all")
    for at, matrix in enumerate(shown):
        drawn = cells(matrix, rows, columns) | {"coloraxis": "coloraxis"}
        figure.add_trace(drawn, at // wide + 1, at % wide + 1)
    x, y = matrix_axes(shown.shape[1:], rows, columns)
    figure.update_xaxes(x)
    figure.update_yaxes(y)
    figure.update_layout(
        title=path, coloraxis={"colorscale": colors, "cmin": ends[0], "cmax": ends[1]},
        width=wide * (SIDE + GAP) + GAP, height=high * (SIDE + GAP) + GAP,
    )  # fmt: skip
    return figure
