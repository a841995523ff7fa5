"""Settings of the chapter that checks the others."""

from dataclasses import dataclass

from ui.settings.compared import Compared, subject
from ui.settings.fields import choice


@dataclass(frozen=True)
class Verify(Compared):
    delta: str = subject("encoder.layers.0.self_attn.weights")
    broken: str = choice("none", "none", "scale", "mask", "axis")
