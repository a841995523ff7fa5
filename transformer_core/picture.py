"""Recorded values as figures of Plotly, which is imported for them alone."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

if TYPE_CHECKING:
    from plotly.graph_objects import Figure as Figure

SIDE, GAP = 230, 60  # px of a matrix, and between two
WIDE = 4  # matrices beside each other, at most
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
    matrices = _chosen(path, value, sequence, head)
    hidden = torch.isinf(matrices) | (matrices <= BLOCKED)
    if blocked is not None:
        hidden |= _chosen(path, blocked.expand(value.shape), sequence, head)
    shown = matrices.masked_fill(hidden, math.nan)
    numbers = shown[~shown.isnan()]
    low, high = (float(numbers.min()), float(numbers.max())) if numbers.numel() else (0.0, 1.0)
    share, signed = path.rpartition(".")[2] in SHARES, low < 0
    most = max(-low, high)
    ends = (0.0, 1.0) if share else (-most, most) if signed else (0.0, high)
    names = [f"head {head if head is not None else at}" for at in range(len(shown))] if value.dim() == 4 else [""]
    return _figure(path, shown, names, ends, SIGNED if signed else SEQUENTIAL, rows, columns)


def _chosen(path: str, value: Tensor, sequence: int, head: int | None) -> Tensor:
    """(matrices, rows, columns) of one sequence."""
    if value.dim() not in (2, 3, 4):
        raise ValueError(f"{path} is {tuple(value.shape)}: that is no matrix for each sequence")
    if not 0 <= sequence < len(value):
        raise ValueError(f"there is no sequence {sequence}: they are counted from 0 to {len(value) - 1}")
    one = value[sequence].detach().cpu()
    one = one if one.dtype == torch.bool else one.double()
    matrices = one if one.dim() == 3 else torch.atleast_2d(one).unsqueeze(0)
    if head is None:
        return matrices
    if value.dim() < 4 or not 0 <= head < len(matrices):
        raise ValueError(
            f"there is no head {head}: {path} has {len(matrices) if value.dim() == 4 else 'no'} heads, counted from 0"
        )
    return matrices[head : head + 1]


def _figure(
    path: str,
    shown: Tensor,
    names: Sequence[str],
    ends: tuple[float, float],
    colors: Sequence[Any],
    rows: Sequence[str],
    columns: Sequence[str],
) -> "Figure":
    try:
        import plotly.graph_objects as go
        from plotly.subplots import make_subplots
    except ImportError as problem:
        raise ImportError("a figure of Plotly needs it: pip install plotly") from problem
    wide = min(WIDE, len(shown))
    high = -(-len(shown) // wide)
    figure = make_subplots(high, wide, subplot_titles=list(names), shared_xaxes="all", shared_yaxes="all")
    y, x = (list(given) or [str(at) for at in range(size)] for given, size in zip((rows, columns), shown.shape[1:]))
    hover = [[f"{row} → {column}" for column in x] for row in y]
    for at, matrix in enumerate(shown):
        drawn = go.Heatmap(
            z=matrix.numpy(), customdata=hover, coloraxis="coloraxis", xgap=1, ygap=1,
            hovertemplate="%{customdata}<br>%{z:.3g}<extra></extra>",
        )  # fmt: skip
        figure.add_trace(drawn, at // wide + 1, at % wide + 1)
    figure.update_xaxes(
        tickvals=list(range(len(x))), ticktext=x, showgrid=False, zeroline=False
    )  # numbers, for labels may repeat
    figure.update_yaxes(tickvals=list(range(len(y))), ticktext=y, showgrid=False, zeroline=False, autorange="reversed")
    figure.update_layout(
        title=path, coloraxis={"colorscale": colors, "cmin": ends[0], "cmax": ends[1]},
        width=wide * (SIDE + GAP) + GAP, height=high * (SIDE + GAP) + GAP,
    )  # fmt: skip
    return figure
