"""Settings of the chapter on decoding."""

from dataclasses import dataclass

from ui.settings.compared import Compared, subject
from ui.settings.fields import Folding, cell, reply, text, whole


@dataclass(frozen=True)
class Decoding(Compared, Folding):
    delta: str = subject("generator.logits")
    turn: int = whole(4, 1, 63)  # which token is being decided, counted from 1
    begun: str = text("", 200)  # what the output begins with, after its start symbol, whatever the model would say
    start: int = whole(1, 0, 999)  # the token that the output begins with
    layer: int = whole(0, 0, 5)
    align_head: int = whole(0, 0, 63)
    align_cell: tuple[str, int, int] | None = cell()  # an output word and a source word
    slip: int = whole(2, 1, 63)  # the turn at which the lower lane writes another token
    slip_token: int = whole(0, 0, 999)  # which; 0, the padding, leaves the lane alone
    lane_head: int = whole(0, 0, 63)
    lanes_cell: tuple[str, int, int] | None = cell()
    looks_cell: tuple[str, int, int] | None = cell()
    parting: str | None = reply()  # at which turns the lanes can differ
    cache_turns: int = whole(40, 2, 500)  # tokens written, along the curves
    untrained_seed: int = whole(0, 0, 90)  # of the first of the untrained models
    untrained_cell: tuple[str, int, int] | None = cell()
    anew: str | None = reply()  # what a turn has to compute with a cache
    cell: tuple[str, int, int] | None = cell()
    ask_first: str | None = reply()
