"""Two runs of the same turns, and what lies between them, as matrices: arrays and labels in, a board out."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ui.figures import Board, Operand, Panel
from ui.figures.few import Few
from ui.figures.formula import Cases, Formula, I, J, Matrix, by_column
from ui.figures.paper import share, softmax

LANES = ("parallel", "alone")


class Lane(NamedTuple):
    """Shares of a softmax and what they are made of, (turns, size) each, and a name for each turn."""

    before: np.ndarray
    shares: np.ndarray
    turns: Sequence[str]


def lanes_board(
    lanes: tuple[Lane, Lane],
    few: Few,
    columns: Sequence[str],
    labels: Mapping[str, str],
    *,
    cell: str,
    symbol: str,
    meaning: str,
    padded: Sequence[int] = (),
    pressed: bool = False,
) -> Board:
    """Both lanes and their difference, a row for each turn, the `few` columns of each. `labels` have a title for each
    of the three, and the names of the axes: `turn`, `only` where a row is a turn alone, `column`. The names of rows and
    columns may be pressed."""
    common: dict[str, Any] = {
        "col_labels": columns, "col_axis": labels["column"], "borders": few.borders,
        "padded_cols": padded,
    }  # fmt: skip
    shown = [few.of(lane.shares) for lane in lanes]
    panels = [
        Panel(
            key, values, labels[key], lane.turns, **common, scale="probability", made=_shares(f"{key}.before", few),
            symbol=f"{symbol}{mark}", place=(0, at), meaning=meaning, row_axis=labels["turn"], label_events=pressed,
        )
        for at, (key, lane, values, mark) in enumerate(zip(LANES, lanes, shown, ("", "′")))
    ]  # fmt: skip
    first, second = (Matrix(key)[I, J] for key in LANES)
    between = Panel(
        "difference", shown[1] - shown[0], labels["difference"], [str(turn + 1) for turn in range(len(shown[0]))],
        **common, row_axis=labels["only"], low=-1.0, high=1.0, made=second - first, symbol="Δ", place=(0, 2),
    )  # fmt: skip
    operands = [
        Operand(f"{key}.before", lane.before, f"s{mark}", meaning) for key, lane, mark in zip(LANES, lanes, ("", "′"))
    ]
    return Board([*panels, between], operands, cell=cell)


def _shares(before: str, few: Few) -> Formula | Cases:
    one = softmax(Matrix(before), few.size, few.at(J))
    if not few.others:
        return one
    return by_column(*[one] * len(few.shown), share(lambda k: Matrix(before)[I, k], few.size, few.others))
