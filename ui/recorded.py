"""One recorded forward pass per model and sequences, for all figures that show a part of it, and for all readers."""

from torch import Tensor

from transformer_core import Trace
from ui.kept import kept
from ui.session import ModelAtHand, forward


def recorded(at_hand: ModelAtHand, src: tuple[int, ...], tgt: tuple[int, ...]) -> Trace:
    """Every value that the model at hand computes for the decoder input `tgt`. Shared: never to be changed."""
    model = at_hand.model
    return kept.made(
        ("recorded", at_hand, src, tgt),
        lambda: {name: _alone(value) for name, value in forward(model, src, tgt)[1].items()},
    )


def _alone(value: Tensor) -> Tensor:
    """A part of a larger tensor, of the table of positions for one, would keep all of that."""
    return value.clone() if value.untyped_storage().nbytes() > value.nbytes else value
