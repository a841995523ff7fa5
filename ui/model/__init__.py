"""The model at hand: which one it is, what it computes and what it says."""

from ui.model.current_model import ModelAtHand, with_layers
from ui.model.recorded import answer, made, measured, output_of, recorded

__all__ = ["ModelAtHand", "answer", "made", "measured", "recorded", "output_of", "with_layers"]
