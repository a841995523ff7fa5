"""Settings of the chapter on ways to decode."""

from dataclasses import dataclass

from ui.settings.compared import Compared, subject
from ui.settings.fields import Folding, cell, real, text, whole


@dataclass(frozen=True)
class Ways(Compared, Folding):
    delta: str = subject("generator.logits")
    turn: int = whole(5, 1, 63)  # which token is drawn, counted from 1
    temperature: float = real(0.7, 0.0, 5.0)
    top_k: int = whole(6, 1, 999)
    top_p: float = real(0.9, 0.0, 1.0)
    seed: int = whole(0, 0, 9999)  # of the numbers that the tokens are drawn with
    begun: str = text("", 200)  # what every output begins with, after its start symbol
    width: int = whole(4, 1, 8)  # of the beam
    alpha: float = real(0.6, 0.0, 2.0)  # of the length penalty
    node: int = whole(0, 0, 9999)  # of the tree
    beam_turn: int = whole(5, 1, 63)  # which turn of the search
    beam_cell: tuple[str, int, int] | None = cell()
    end_cell: tuple[str, int, int] | None = cell()  # of the table of finished outputs
    greedy_cell: tuple[str, int, int] | None = cell()  # of greedy decoding beside the beam
    cell: tuple[str, int, int] | None = cell()  # of the draw
