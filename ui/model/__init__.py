"""The model at hand: which one it is, what it computes and what it says."""

from ui.model.answer import answer, output_of
from ui.model.at_hand import ModelAtHand
from ui.model.recorded import made, measured, recorded

__all__ = ["ModelAtHand", "answer", "made", "measured", "recorded", "output_of"]
