"""Settings of the chapter on decoding."""

from dataclasses import dataclass

from ui.settings.fields import Settings, cell, text, whole


@dataclass(frozen=True)
class Decoding(Settings):
    turn: int = whole(4, 1, 63)  # which token is being decided, counted from 1
    begun: str = text("", 200)  # what the output begins with, after its start symbol, whatever the model would say
    start: int = whole(1, 0, 999)  # the token that the output begins with
    layer: int = whole(0, 0, 5)
    cell: tuple[str, int, int] | None = cell()
