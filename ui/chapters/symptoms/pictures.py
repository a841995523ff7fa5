"""What a symptom looks like: its matrices side by side, or its curves, with the cause and healthy."""

from collections.abc import Mapping, Sequence

import numpy as np

from transformer_core.exercises.symptoms import ends, not_a_number, stuck, written
from transformer_core.exercises.symptoms.symptom import State, Symptom
from ui.figures import Board, Curves, Marks, Panel, Style, XAxis, YAxis, curves
from ui.text import Words
from ui.theme import css

LANES = ("here", "healthy")
BESIDE = 12  # columns of matrices that stand side by side; wider ones stand below each other
COLORS = {"here": "wrong", "healthy": "right"}
IN_CURVES = {"stuck": ("loss", "gradient", "moved"), "validation": ("training", "validation")}
NAMED_ROWS = {
    "nan": ("nan", not_a_number.STAGES),
    "forced": ("written", written.ROWS),
    "alone": ("written", written.ROWS),
    "ends": ("ends", ends.ROWS),
}

Lanes = Mapping[str, State]  # by the names of LANES


def board(say: Words, one: Symptom, lanes: Lanes) -> Board:
    """The same numbers of both states, on one scale."""
    panels = [_panel(say, one, lanes[lane], lane, place) for place, lane in enumerate(LANES)]
    vacant = say("over") if one.name == "ends" else ""
    return Board(panels, cell="symptom_cell", result="here", vacant=vacant)


def _panel(say: Words, one: Symptom, state: State, lane: str, place: int) -> Panel:
    values = one.show(state).numpy()
    rows, columns = _labels(say, one.name, state, values.shape)
    return Panel(
        lane,
        values,
        say(f"panel.{lane}"),
        rows,
        columns,
        say(f"rows.{one.name}"),
        say(f"columns.{one.name}"),
        scale="magnitude",
        high=1.0,
        vacant=np.broadcast_to((values == 0).all(0), values.shape) if one.name == "ends" else None,
        borders=[values.shape[1] - 1] if one.name == "rows" else (),
        place=(0, place) if values.shape[1] <= BESIDE else (place, 0),
        print_values=True,
    )


def _labels(say: Words, name: str, state: State, shape: tuple[int, ...]) -> tuple[Sequence[str], Sequence[str]]:
    rows, columns = (list(map(str, range(size))) for size in shape)
    if name in NAMED_ROWS:
        group, named = NAMED_ROWS[name]
        rows = [say(f"row.{group}.{row}") for row in named]
    elif name == "repeats":
        rows = [str(1 + int(row)) for row in rows]
    if name == "rows":
        columns[-1] = "Σ"
    return rows, state.get("labels", columns)


def of_runs(say: Words, name: str, numbers: Mapping[str, np.ndarray]) -> list[Curves]:
    """A picture for each quantity with both runs in it, or for each run with both of its losses."""
    return _of_quantities(say, numbers) if name == "stuck" else _of_lanes(say, numbers)


def titles(say: Words, name: str) -> list[str]:
    """Of the table's columns."""
    shown = [f"{say(f'curve.{what}')}, {say(f'panel.{lane}')}" for lane in LANES for what in IN_CURVES[name]]
    return [say("curve.step"), *shown]


def alternatives(say: Words, name: str) -> str | list[str]:
    """What the picture, or each of several, looks like."""
    if name == "stuck":
        return [say("alt.curve", what=say(f"curve.{what}")) for what in IN_CURVES[name]]
    if name == "validation":
        return [say("alt.lane", lane=say(f"panel.{lane}")) for lane in LANES]
    return say(f"alt.{name}")


def _of_quantities(say: Words, numbers: Mapping[str, np.ndarray]) -> list[Curves]:
    return [
        curves(
            numbers["here"][:, 0],
            {say(f"panel.{lane}"): numbers[lane][:, at] for lane in LANES},
            x_axis=XAxis(say("curve.step")),
            y_axis=YAxis(say(f"curve.{what}")),
            marks=Marks(levels={"ln V": stuck.GUESSING} if what == "loss" else {}),
            style=Style(colors=[css(COLORS[lane]) for lane in LANES]),
        )
        for at, what in enumerate(IN_CURVES["stuck"], 1)
    ]


def _of_lanes(say: Words, numbers: Mapping[str, np.ndarray]) -> list[Curves]:
    highest = max(float(table[:, 1:].max()) for table in numbers.values())
    return [
        curves(
            numbers[lane][:, 0],
            {say(f"curve.{what}"): numbers[lane][:, at] for at, what in enumerate(IN_CURVES["validation"], 1)},
            x_axis=XAxis(say("curve.step")),
            y_axis=YAxis(say("curve.lane", lane=say(f"panel.{lane}")), range=(0.0, 1.05 * highest)),
            style=Style(colors=[css("signed-1"), css("signed-7")], markers=True),
        )
        for lane in LANES
    ]
