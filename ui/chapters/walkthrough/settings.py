"""Settings of the chapter `walkthrough`."""

from dataclasses import dataclass

from ui.settings.compared import Compared, subject
from ui.settings.fields import cell, number_reply, reply, whole


@dataclass(frozen=True)
class Walkthrough(Compared):
    delta: str = subject("encoder.output")
    place: int = whole(0, 0, 9999)  # of the stop on the route
    stop: int = whole(0, 0, 9999)  # the same in an early link, which does not count all of them
    turn: int = whole(1, 1, 99)  # of the decoding loop
    head: int = whole(0, 0, 63)
    first_row: int = whole(0, 0, 9999)  # where the window on a large matrix begins
    first_column: int = whole(0, 0, 9999)
    cell: tuple[str, int, int] | None = cell()
    ask_shape: str = number_reply()
    ask_mask: str | None = reply()
