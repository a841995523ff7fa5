"""Pictures of the loss chapter: smoothed targets, divergence per position, the Noam curve."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ui.figures.board import Panel, Source
from ui.figures.plot import Plot, layout, rule
from ui.theme import Mode, color


def target_panel(true_dist: np.ndarray, targets: Sequence[int], pad: int, labels: Mapping[str, str]) -> Panel:
    """The smoothed targets, (n, vocab): a row per position, labelled with its answer."""
    n, vocab = true_dist.shape
    return Panel(
        "targets",
        true_dist,
        labels["targets"],
        [str(target) for target in targets],
        [str(token) for token in range(vocab)],
        labels["answer"],
        labels["token"],
        scale="probability",
        padded_rows=[i for i in range(n) if targets[i] == pad],
        padded_cols=[pad],
        print_values=True,
    )


def divergence_panels(
    true_dist: np.ndarray,
    probabilities: np.ndarray,
    terms: np.ndarray,
    gradient: np.ndarray,
    answers: Sequence[int],
    pad: int,
    labels: Mapping[str, str],
) -> list[Panel]:
    """Targets and probabilities (T, vocab), the terms of their divergence, its sum per row, and p - t.

    A divergence as large as that of guessing, ln(vocab), has the strongest colour: what is learned turns pale.
    """
    guess = float(np.log(true_dist.shape[1]))
    rows = [str(answer) for answer in answers]
    cols = [str(token) for token in range(true_dist.shape[1])]
    padded = [i for i, answer in enumerate(answers) if answer == pad]
    same_cell = (Source("t"), Source("p"))

    def panel(key: str, values: np.ndarray, place: tuple[int, int], **more: Any) -> Panel:
        wide = values.shape[1] == len(cols)
        names: dict[str, Any] = {"col_labels": cols, "col_axis": labels["token"], "padded_cols": [pad]} if wide else {}
        return Panel(
            key, values, labels[key], rows, row_axis=labels["answer"], padded_rows=padded, place=place, **names, **more
        )

    return [
        panel("t", true_dist, (0, 0), scale="probability"),
        panel("p", probabilities, (0, 1), scale="probability"),
        panel("terms", terms, (1, 0), sources=same_cell, high=guess),
        panel("gradient", gradient, (1, 1), sources=same_cell, high=1.0),
        panel(
            "kl",
            terms.sum(1, keepdims=True),
            (1, 2),
            scale="magnitude",
            high=guess,
            sources=(Source("terms", "row", "all"),),
        ),
    ]


def rate_curve(
    steps: np.ndarray, rates: np.ndarray, at: tuple[int, float], peak: int, labels: Mapping[str, str], mode: Mode
) -> Plot:
    """Learning rate against step, with one step marked and the end of the warm-up as a line."""
    line = {"x": steps, "y": rates, "line": {"color": color("query", mode), "width": 2}}
    rim = {"color": color("text", mode), "width": 1}
    mark = {"x": [at[0]], "y": [at[1]], "mode": "markers"}
    mark["marker"] = {"color": color("chosen", mode), "size": 11, "line": rim}
    warm = rule(peak, {"color": color("quiet", mode), "dash": "dot", "width": 1})
    x: dict[str, Any] = {"title": {"text": labels["step"], "font": {"size": 14}}}
    y: dict[str, Any] = {"title": {"text": labels["rate"], "font": {"size": 14}}, "rangemode": "tozero"}
    drawn = [{"type": "scatter", "hoverinfo": "x+y"} | trace for trace in (line, mark)]
    return Plot(drawn, layout(mode, x, y, height=300, showlegend=False, shapes=[warm]))
