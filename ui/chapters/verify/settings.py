"""Settings of the chapter that checks the others."""

from dataclasses import dataclass, field

from ui.settings.compared import Compared, subject
from ui.settings.fields import Cell, Folding, choice, whole


@dataclass(frozen=True)
class Verify(Compared, Folding):
    delta: str = subject("encoder.layers.0.self_attn.weights")
    broken: str = choice("none", "none", "scale", "mask", "axis")
    own_layer: int = whole(0, 0, 5)
    own_head: int = whole(0, 0, 15)
    own_cell: tuple[str, int, int] | None = field(default=("weights", 3, 4), metadata={"kind": Cell()})
