"""The settings that each task is learned with, where they are not the copy task's."""

from typing import Any

_LETTERS = {"batch": 64, "rate": 3e-3, "warmup": 50, "steps": 300}
_WORDS = {"batch": 64, "rate": 5e-3, "warmup": 50, "steps": 480}
_RECIPES: dict[str, dict[str, Any]] = {
    "random": {
        "vocab": 10_000,
        "d_model": 128,
        "batch": 16,
        "rate": 1e-4,
        "schedule": "constant",
        "warmup": 0,
        "steps": 200,
        "clip": 1.0,
    },
    "reverse": _LETTERS,
    "sort": _LETTERS,
    "translate": _WORDS,
}
BOTH = 1500  # updates that one model of both directions takes


def recipe(task: str, direction: str) -> dict[str, Any]:
    """Settings of a run by name; the others are the default's."""
    steps = {"steps": BOTH} if (task, direction) == ("translate", "both") else {}
    return _RECIPES.get(task, {}) | steps
