"""Embeddings as points with their names: in a plane, and large in space, on axes that are the same at every moment."""

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from ui.figures import Curves, Dots, Style, XAxis, YAxis, curves
from ui.figures.large import HEIGHT
from ui.figures.plot import Plot, layout
from ui.theme import SANS, Mode, color, css

# A table of vectors seen in its widest directions: principal components, the same for all records of a run.


class TableProjection(NamedTuple):
    """Along `axes` from `mean`: those in which the vectors of one table differ most."""

    mean: np.ndarray  # (d,)
    axes: np.ndarray  # (n, d), at right angles, the widest first

    def of(self, tables: np.ndarray) -> np.ndarray:
        """Coordinates (…, vectors, n) of tables (…, vectors, d)."""
        return (np.asarray(tables, np.float64) - self.mean) @ self.axes.T

    def share(self, table: np.ndarray) -> float:
        """Of the squared distances of the vectors (vectors, d) from their mean, the part that is along the axes."""
        apart = np.asarray(table, np.float64) - np.mean(table, axis=0, dtype=np.float64)
        whole = float((apart**2).sum())
        return float(((apart @ self.axes.T) ** 2).sum()) / whole if whole else 1.0


def principal(table: np.ndarray, count: int) -> TableProjection:
    """The first `count` principal components of vectors (vectors, d); zeros where they span fewer. Either way along an
    axis is as good: the number that is largest in size is positive."""
    exact = np.asarray(table, np.float64)
    mean = exact.mean(axis=0)
    _, widths, found = np.linalg.svd(exact - mean, full_matrices=False)
    axes = np.zeros((count, exact.shape[1]))
    for at, (width, axis) in enumerate(zip(widths[:count], found)):
        axes[at] = axis * np.sign(axis[np.abs(axis).argmax()]) * (width > 0)
    return TableProjection(mean, axes)


COLORS = ("encoder", "quiet")  # of what is watched, and of all others
BEYOND = 1.08  # the axes reach further than the points
EYE = 1.8  # where the camera stands on each axis, of which the longest is 1: a phone too shows the axes' names
TOWARDS = {"x": 0.07, "y": -0.07, "z": 0}  # what it looks at: a little left of the points, for there two names stand
LETTERS = {"size": 12}  # px


class Points(NamedTuple):
    """(tokens, 3), on axes that reach to ±`ends` (3,). Those that are `watched` are the first of the two groups."""

    points: np.ndarray
    ends: np.ndarray
    names: Sequence[str]
    watched: np.ndarray
    groups: tuple[str, str]
    axes: Sequence[str]


def plane(of: Points) -> Curves:
    """The points on the first two of their axes."""
    along, up, _ = BEYOND * of.ends
    parts = [np.flatnonzero(which) for which in (of.watched, ~of.watched)]
    dots = {
        group: Dots(of.points[part, 0], of.points[part, 1], css(ink), written=[of.names[at] for at in part.tolist()])
        for group, part, ink in zip(of.groups, parts, COLORS, strict=True)
        if len(part)
    }
    drawn = curves(
        np.array([-along, along]), {}, dots=dots, x_axis=XAxis(of.axes[0]), y_axis=YAxis(of.axes[1], range=(-up, up)),
        style=Style(legend="dots"), height=360,
    )  # fmt: skip
    for series in drawn.option["series"]:
        if series["type"] == "scatter":
            label = {"show": True, "formatter": "{@[2]}", "position": "top", "fontFamily": SANS, "color": css("text")}
            series |= {"symbolSize": 6, "label": label, "labelLayout": {"hideOverlap": True}}
    return drawn._replace(large=partial(space, of))


def space(of: Points, mode: Mode) -> Plot:
    """The same points on all three axes, to be turned. A unit is as long on each."""
    reach = BEYOND * of.ends
    inks = [color(ink, mode) for ink in COLORS]
    traces = [
        {
            "type": "scatter3d", "mode": "markers+text", "name": group,
            **dict(zip("xyz", of.points[which].T, strict=True)),
            "text": [of.names[at] for at in np.flatnonzero(which).tolist()],
            "textfont": {"color": color("text", mode), "family": SANS, "size": 13},
            "marker": {"color": ink, "size": 4},
            "hovertemplate": "%{text}<extra></extra>",
        }
        for group, which, ink in zip(of.groups, (of.watched, ~of.watched), inks, strict=True)
        if which.any()
    ]  # fmt: skip
    quiet = {"gridcolor": color("grid", mode), "zerolinecolor": color("quiet", mode), "showbackground": False}
    scene = {
        f"{axis}axis": quiet
        | {"title": {"text": title, "font": LETTERS}, "showticklabels": False, "range": [-end, end]}
        for axis, title, end in zip("xyz", of.axes, reach.tolist(), strict=True)
    }
    longest = dict(zip("xyz", (reach / reach.max()).tolist(), strict=True))
    whole = {
        "aspectmode": "manual",
        "aspectratio": longest,
        "camera": {"eye": dict.fromkeys("xyz", EYE), "center": TOWARDS},
    }
    return Plot(traces, layout(mode, {}, {}, height=HEIGHT, scene=scene | whole, showlegend=True))
