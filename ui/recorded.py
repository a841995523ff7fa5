"""What is measured once on a model, a recorded forward pass above all, for all figures and readers that ask for it."""

from collections.abc import Callable, Hashable

from torch import Tensor

from transformer_core import Trace
from ui.server.kept import kept
from ui.session import ModelAtHand, forward


def recorded(at_hand: ModelAtHand, src: tuple[int, ...], tgt: tuple[int, ...]) -> Trace:
    """Every value that the model at hand computes for the decoder input `tgt`."""
    what = ("recorded", src, tgt)
    known: Trace | None = kept.get((at_hand, what))
    if known is not None:  # then nobody needs to make the model, which takes time where it is broken
        return known
    model = at_hand.model
    return measured(at_hand, what, lambda: forward(model, src, tgt)[1])


def measured(at_hand: ModelAtHand, what: Hashable, measure: Callable[[], Trace]) -> Trace:
    """What `measure` finds on the model at hand, where `what` names the measurement with all that it depends on.

    Shared by all readers: never to be changed.
    """
    return kept.made((at_hand, what), lambda: {name: _alone(value) for name, value in measure().items()})


def _alone(value: Tensor) -> Tensor:
    """A part of a larger tensor, of the table of positions for one, would keep all of that."""
    return value.clone() if value.untyped_storage().nbytes() > value.nbytes else value
