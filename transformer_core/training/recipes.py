"""The settings that each task is learned with, where they are not the copy task's."""

import math
from typing import Any, Literal, NamedTuple

from transformer_core.tasks import NotPairs, pairs_task

_REVERSE = {"batch": 64, "rate": 3e-3, "warmup": 50, "steps": 300}
_SORT = {"batch": 64, "rate": 5e-3, "warmup": 50, "steps": 600}
_ONE_WAY = {"batch": 64, "rate": 5e-3, "warmup": 50, "steps": 480}
_BOTH_WAYS = {"batch": 64, "rate": 5e-3, "warmup": 50, "steps": 1500}
_PAIRS = {"batch": 64, "rate": 2e-3, "warmup": 50}
_PAIRS_STEPS = ((500, 300), (2000, 480), (math.inf, 900))  # for at most so many lines
_RANDOM = {
    "vocab": 10_000,
    "d_model": 128,
    "batch": 16,
    "rate": 1e-4,
    "schedule": "constant",
    "warmup": 0,
    "steps": 200,
    "clip": 1.0,
}
_BY_TASK: dict[str, dict[str, Any]] = {"random": _RANDOM, "reverse": _REVERSE, "sort": _SORT}


# Noam's factor and warm-up for the lecture notes' run: as the package that they import has them, as come nearest to the
# losses that they print, and as the quickest of the three learns.
NotesRate = Literal["package", "nearest", "quick"]
NOTES_RATES: dict[NotesRate, tuple[float, int]] = {"package": (2.0, 4000), "nearest": (2.0, 2000), "quick": (1.0, 400)}


class RecipeOutcome(NamedTuple):
    """What runs of a recipe came to, each from a seed of its own, on one machine: `benchmarks/recipes.py`."""

    runs: int
    wrong: int  # runs that ended with a wrong answer among TRIED that they were not trained on
    most: int  # wrong answers of one run
    fewest: int  # updates until all of 1000 were right for the first time
    median: int
    latest: int  # of the runs that came so far
    never: int  # runs that did not


TRIED = 2000  # answers, at the end of a run
OUTCOMES = {"copy": RecipeOutcome(20, 1, 2, 80, 105, 125, 0), "translate": RecipeOutcome(20, 10, 3, 285, 365, 470, 4)}


def recipe(task: str, direction: str, pairs: str = "") -> dict[str, Any]:
    """Settings of a run by name; the others are the default's. `direction` is the translation's."""
    if task == "pairs":
        return _for_pairs(pairs)
    if task == "translate":
        return _BOTH_WAYS if direction.startswith("both") else _ONE_WAY
    return _BY_TASK.get(task, {})


def _for_pairs(text: str) -> dict[str, Any]:
    """By how many lines there are to learn: of few lines the rule, if there is one, is soon learned or never."""
    try:
        lines = pairs_task(text).trained
    except NotPairs:  # a run of them says why
        return _ONE_WAY
    return _PAIRS | {"steps": next(steps for most, steps in _PAIRS_STEPS if lines <= most)}
