"""The lecture notes' parameter names, where they differ from those of the Annotated Transformer, which are ours."""

from collections.abc import Mapping
from typing import TypeVar

NOTES_NAMES = {
    "w1": "w_1",  # PositionwiseFeedForward
    "w2": "w_2",
    "a2": "a_2",  # LayerNorm
    "b2": "b_2",
    "project": "proj",  # Generator
}

T = TypeVar("T")


def from_notes_names(state: Mapping[str, T]) -> dict[str, T]:
    """The state dict of a model written as in the notes, for `load_state_dict`: same tensors, the names used here.

    >>> list(from_notes_names({"encoder.layers.0.feed_forward.w1.weight": 0}))
    ['encoder.layers.0.feed_forward.w_1.weight']
    """
    return {".".join(NOTES_NAMES.get(part, part) for part in name.split(".")): value for name, value in state.items()}
