"""What the stops of the lessons show, small: pictures that `python -m tests.stops` has taken from the pages."""

import tomllib
from functools import cache

from ui.chapters.teachers.figures.miniature import MiniatureCurve, MiniatureGrid
from ui.script import ASSETS

FILE = ASSETS / "stops.toml"

Part = MiniatureGrid | MiniatureCurve


@cache
def pictures() -> dict[str, list[list[Part]]]:
    """Of each lesson the figures of its stops, in their order."""
    lessons = tomllib.loads(FILE.read_text(encoding="utf-8"))
    return {lesson: [_parts(stop) for stop in stops.values()] for lesson, stops in lessons.items()}


def _parts(stop: dict[str, list[dict[str, str]]]) -> list[Part]:
    kinds = {"grids": MiniatureGrid, "curves": MiniatureCurve}
    return [kinds[name](**fields) for name, some in stop.items() for fields in some]
