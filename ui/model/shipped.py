"""The models in the repository."""

from functools import cache
from pathlib import Path

from transformer_core.training.checkpoint import Checkpoint, load

SHIPPED = Path(__file__).parents[2] / "assets" / "model"
FILES = {"trained": "copy.pt", "translate": "translate.pt"}
PEEKING = "peeking.safetensors"


@cache
def shipped(kind: str = "trained") -> Checkpoint:
    """A model in the repository. OSError or ValueError if it is missing or damaged."""
    return load(SHIPPED / FILES[kind])


@cache
def peeking() -> Checkpoint:
    """The one that was trained without the look-ahead mask, for a story to tell of."""
    return load(SHIPPED / PEEKING)
