"""Settings of the chapter on all heads."""

from dataclasses import dataclass, field

from ui.settings.fields import Cell, Settings, choice

SHOWN = ("weights", "scores")


@dataclass(frozen=True)
class Heads(Settings):
    shown: str = choice("weights", *SHOWN)
    # The head that is open, by one of its cells: `kind.layer.head`, row, column; then the cell of its large picture.
    cell: tuple[str, int, int] | None = field(default=("cross.0.0", 3, 4), metadata={"kind": Cell()})
    opened: tuple[str, int, int] | None = field(default=("weights", 3, 4), metadata={"kind": Cell()})
