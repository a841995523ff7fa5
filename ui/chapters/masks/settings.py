"""Settings of the chapter on masks."""

from dataclasses import dataclass

from ui.settings.compared import Compared, subject
from ui.settings.fields import Folding, cell, choice, flag, formerly, number_reply, reply, text, whole

MOST_SEQUENCES = 4
FILLS = ("infinity", "billion", "lowest")


@dataclass(frozen=True)
class Masks(Compared, Folding):
    delta: str = subject("decoder.layers.0.self_attn.weights")
    # the look-ahead mask
    size: int = whole(20, 1, 64)  # the notes' picture
    ahead_cell: tuple[str, int, int] | None = formerly("cell", cell())
    pairs: str = number_reply()

    # paddings, and both masks together
    lengths: str = text("2 4", 40)  # the notes' batch
    width: int = whole(5, 1, 12)
    drawn: int = whole(0, 0, 9999)  # seed of the tokens
    which: int = whole(1, 0, MOST_SEQUENCES - 1)
    padded: str = text("", 200)  # tokens turned into paddings by a click, `sequence.position`
    stretched: bool = flag(False)
    both_cell: tuple[str, int, int] | None = cell()

    # what stands in the place of a blocked score
    blank: str | None = reply()
    fill_with: str = choice("infinity", *FILLS)
    fill_scores: str = choice("auto", "auto", "notes", "model")  # auto: the model's where tokens are words
    fill_mask: str = choice("pairs", "pairs", "keys", "ahead", "both", "nothing")
    fill_cell: tuple[str, int, int] | None = cell()

    # query rows against key columns
    head: int = whole(0, 0, 15)
    front: bool = flag(False)
    rows_cell: tuple[str, int, int] | None = cell()

    # the probes
    future: str | None = reply()
    ahead_on: bool = flag(True)
    causal_cell: tuple[str, int, int] | None = cell()
    paddings: int = whole(8, 1, 16)
    drift_cell: tuple[str, int, int] | None = cell()

    # traps: reading a picture, conventions, the axis of the heads, a mask too large, a batch without paddings
    triu_cell: tuple[str, int, int] | None = cell()
    read_as: str = choice("code", "code", "colors", "picture")
    reading_cell: tuple[str, int, int] | None = cell()
    convention_cell: tuple[str, int, int] | None = cell()
    printed: str | None = reply()  # which part of the notes' print-out is from another run
    printed_cell: tuple[str, int, int] | None = cell()
    unsqueeze: str = choice("0", "0", "1")
    batch: int = whole(2, 1, MOST_SEQUENCES)
    heads: int = whole(2, 1, 4)
    axis_cell: tuple[str, int, int] | None = cell()
    slice_size: int = whole(6, 2, 12)
    slice_queries: int = whole(3, 1, 12)
    slice_cell: tuple[str, int, int] | None = cell()
    own_paddings: int = whole(0, 0, 30)
    own_cell: tuple[str, int, int] | None = cell()
    ask_padded: str | None = reply()
