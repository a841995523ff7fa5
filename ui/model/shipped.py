"""The models in the repository."""

from functools import cache
from pathlib import Path

from transformer_core.training.checkpoint import Checkpoint, load

SHIPPED = Path(__file__).parents[2] / "assets" / "model"
FILES = {"trained": "copy.pt", "translate": "translate.pt"}
PEEKING = "peeking.safetensors"


class NotShipped(ValueError):
    """The `file` of a model in the repository is missing or damaged."""

    def __init__(self, file: str) -> None:
        super().__init__(f"{file} is missing or damaged")
        self.file = file


@cache
def shipped(kind: str = "trained") -> Checkpoint:
    """A model in the repository. NotShipped if there is none."""
    return _loaded(FILES[kind])


@cache
def peeking() -> Checkpoint:
    """The one that was trained without the look-ahead mask, for a story to tell of. NotShipped if there is none."""
    return _loaded(PEEKING)


def _loaded(file: str) -> Checkpoint:
    try:
        return load(SHIPPED / file)
    except (OSError, ValueError) as problem:
        raise NotShipped(file) from problem
