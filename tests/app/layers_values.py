"""What the tests of the chapter on layers share: the model at hand, a sequence, what is recorded of it."""

from typing import Any

import torch

from ui import session
from ui.labs import layers_norm
from ui.labs.attention_values import shifted
from ui.labs.layers_places import Place
from ui.session import ModelAtHand
from ui.settings.frame import Frame

SEQUENCES = shifted((1, 4, 2, 2, 7), ())


def at_hand() -> ModelAtHand:
    return session.model_at_hand(Frame())


def run_snippet(snippet: str) -> Any:
    """What the snippet leaves in `shown`."""
    names: dict[str, Any] = {}
    exec(snippet, names)
    return names["shown"]


def trace() -> dict[str, torch.Tensor]:
    return session.forward(at_hand().model, SEQUENCES.src, SEQUENCES.given)[1]


def norm_values() -> layers_norm.Normalised:
    place, model = Place("encoder", 0, 1), at_hand().model
    return layers_norm.normalised_at(place, place.wrapper(model).norm, True, trace())
