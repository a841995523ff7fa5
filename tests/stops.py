"""Small pictures of what the stops of the lessons show: `python -m tests.stops` writes them to assets/stops.toml.

They are taken from the pages themselves: the matrices of a stop's first board or, where it has none, its first curves,
as a reader sees them who has replied to its questions and, where there is a run to start, has started it. A test opens
the stops again and compares.
"""

import base64
import json
import re
import sys
from typing import Any

import numpy as np

from tests.app.answers import replied, right
from tests.app.boards import elements, told
from tests.app.conftest import look_again, opened
from transformer_core.exercises.drawing.packed import FULL
from ui.chapters.teachers.figures.miniature import CLOSED, EMPTY, HEIGHTS, STOPS, MiniatureCurve, MiniatureGrid
from ui.chapters.teachers.stops import FILE, Part, question_of
from ui.sections.question import Choice
from ui.settings.lessons import LESSONS, LessonStop
from ui.text import Words

MOST = 24  # rows and columns of a matrix that are drawn, the first ones
PLACES = 41  # along a curve
OPEN = "5"  # of a mask: the colour that a cell has which may be attended to
LETTERS = 4  # of a line of code, in a cell
RUNS = {("scale", 5), ("training", 3)}  # stops that show a run, which differs by the processor
STARTS = {"scaling.start", Words("training", "en")("start")}  # the key, or else the label, of buttons that start a run


def shown(stop: LessonStop) -> list[Part]:
    """What the stop's first figure shows."""
    link = {"open": "", "lang": "en"} | dict(stop.settings) | {"present": "1"} | right(stop.chapter)
    question = question_of(stop)
    if isinstance(question, Choice) and question.in_section:
        link |= replied(stop, question.replies[-1] if question.by_hand else question.right)
    app = opened(stop.chapter, **link)
    for button in app.button:
        if (button.key or button.label) in STARTS:
            button.click().run()
            look_again(app)
            break
    assert not app.exception
    for element in elements(app.main):
        message = told(element)
        if "panels" in message:
            return [_grid(panel) for panel in message["panels"]]
        if "pool" in message:
            return [_lines(message)]
        if "truth" in message:
            return _sheet(message)
    chart = next(element for element in elements(app.main) if element.type == "echarts_chart")
    return _curves(json.loads(chart.proto.spec))


def _grid(panel: dict[str, Any]) -> MiniatureGrid:
    rows, columns = panel["shape"]
    low, high = panel["ends"]

    def matrix(name: str, kind: str) -> np.ndarray:
        return np.frombuffer(base64.b64decode(panel[name]), kind).reshape(rows, columns)

    values = matrix("values", "<f4")
    part = np.clip((values - low) / ((high - low) or 1.0), 0, 1)
    cells = np.rint(np.nan_to_num(part) * (STOPS - 1)).astype(int).astype(str)
    if panel["scale"] == "mask":
        cells[:] = OPEN
    if panel["scale"] == "plain":
        cells[:] = EMPTY
    cells[~np.isfinite(values)] = EMPTY
    for name, cell in (("hidden", CLOSED), ("vacant", EMPTY)):
        if panel[name]:
            cells[matrix(name, "u1") > 0] = cell
    return MiniatureGrid(
        "signed" if panel["scale"] == "signed" else "probability",
        tuple("".join(row[:MOST]) for row in cells[:MOST]),
        panel["place"][0],
    )


def _lines(bench: dict[str, Any]) -> MiniatureGrid:
    """Code, LETTERS to a cell: those lines that are on the bench."""
    lines = [bench["header"], *(4 * (1 + indent) * " " + bench["code"][line] for line, indent in bench["order"])]
    cells = [[line[at : at + LETTERS].strip() for at in range(0, max(map(len, lines)), LETTERS)] for line in lines]
    return MiniatureGrid("probability", tuple("".join(OPEN if cell else EMPTY for cell in row) for row in cells))


def _sheet(message: dict[str, Any]) -> list[Part]:
    """What was drawn, and what is true: bars as steps."""
    low, high, points = message["low"], message["high"], len(message["truth"])
    at = np.linspace(0, points - 1, PLACES)
    places = np.rint(at) if message["shape"] == "bars" else at

    def heights(values: np.ndarray) -> str:
        levels = np.interp(places, np.arange(points), np.clip(values, 0, 1)) * (len(HEIGHTS) - 1)
        return "".join(HEIGHTS[round(level)] for level in levels)

    truth = (np.array(message["truth"]) - low) / (high - low)
    return [
        MiniatureCurve("query", heights(np.array(message["drawn"]) / FULL)),
        MiniatureCurve("right", heights(truth)),
    ]


def _curves(spec: dict[str, Any]) -> list[Part]:
    axes = [spec[axis] for axis in ("xAxis", "yAxis")]

    def placed(values: np.ndarray, axis: dict[str, Any]) -> np.ndarray:
        """0…1 along the axis."""
        scale = np.log if axis["type"] == "log" else np.asarray
        low, high = scale(float(axis["min"])), scale(float(axis["max"]))
        return (scale(values) - low) / (high - low)

    drawn: list[Part] = []
    for line in spec["series"]:
        if line["type"] != "line" or line["name"] not in spec["legend"]["data"]:
            continue
        points = np.array([point[:2] for point in line["data"] if point[1] is not None], float)
        x, y = (placed(values, axis) for values, axis in zip(points.T, axes, strict=True))
        places = np.linspace(0, 1, PLACES)
        heights = np.interp(
            places, x.round(6), np.clip(y, 0, 1), left=np.nan, right=np.nan
        )  # an end is that of the axis
        levels = [EMPTY if np.isnan(at) else HEIGHTS[round(at * (len(HEIGHTS) - 1))] for at in heights]
        (meaning,) = re.findall(r"var\(--([\w-]+)", line["color"])
        drawn.append(MiniatureCurve(meaning, "".join(levels)))
    return drawn


def written(lesson: str, number: int, parts: list[Part]) -> str:
    lines = [f"[{lesson}.{number}]"]
    for name, kind in (("grids", MiniatureGrid), ("curves", MiniatureCurve)):
        some = [part for part in parts if isinstance(part, kind)]
        if some:
            lines += [f"{name} = [", *(f"    {{ {_fields(part)} }}," for part in some), "]"]
    return "\n".join(lines)


def _fields(part: Part) -> str:
    held = vars(part)
    return ", ".join(f"{name} = {json.dumps(list(v) if isinstance(v, tuple) else v)}" for name, v in held.items())


def main() -> int:
    heading = "# What the first figure of each stop shows, small. Written by `python -m tests.stops`."
    stops = [
        written(lesson, number, shown(stop))
        for lesson, those in LESSONS.items()
        for number, stop in enumerate(those, 1)
    ]
    FILE.write_text("\n\n".join([heading, *stops]) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
