"""Settings of the chapter on one attention head."""

from dataclasses import dataclass, field

from ui.settings.fields import Cell, Settings, choice, whole

KINDS = ("encoder", "decoder", "cross")
STAGES = ("products", "scores", "masked", "weights", "output", "all")


@dataclass(frozen=True)
class Attention(Settings):
    kind: str = choice("cross", *KINDS)
    layer: int = whole(0, 0, 5)
    head: int = whole(0, 0, 15)
    stage: str = choice("products", *STAGES)
    # A cell is chosen from the start, so that the first look at the page shows where a number comes from.
    cell: tuple[str, int, int] | None = field(default=("products", 3, 4), metadata={"kind": Cell()})
