"""Settings of the chapter on decoding."""

from dataclasses import dataclass

from ui.settings.compared import Compared, subject
from ui.settings.fields import cell, text, whole


@dataclass(frozen=True)
class Decoding(Compared):
    delta: str = subject("generator.logits")
    turn: int = whole(4, 1, 63)  # which token is being decided, counted from 1
    begun: str = text("", 200)  # what the output begins with, after its start symbol, whatever the model would say
    start: int = whole(1, 0, 999)  # the token that the output begins with
    layer: int = whole(0, 0, 5)
    align_head: int = whole(0, 0, 63)
    align_cell: tuple[str, int, int] | None = cell()  # an output word and a source word
    cell: tuple[str, int, int] | None = cell()
