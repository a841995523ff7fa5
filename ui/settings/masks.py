"""Settings of the chapter on masks."""

from dataclasses import dataclass

from ui.settings.fields import Settings, cell, whole


@dataclass(frozen=True)
class Masks(Settings):
    size: int = whole(20, 1, 64)  # the notes' picture
    cell: tuple[str, int, int] | None = cell()
