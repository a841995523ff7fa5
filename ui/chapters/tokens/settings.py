"""Settings of the chapter on tokens and embeddings."""

from dataclasses import dataclass

from ui.settings.compared import Compared, subject
from ui.settings.fields import Folding, cell, choice, flag, number_reply, reply, text, whole

EXAMPLES = ("typed", "lengths", "five")
WIDEST = 20  # tokens per row of a batch


@dataclass(frozen=True)
class Tokens(Compared, Folding):
    delta: str = subject("src_embed.0.lut.weight")
    example: str = choice("typed", *EXAMPLES)
    width: int = whole(12, 1, 40)  # tokens per padded row of the typed sequence
    src_lengths: str = text("2 4", 40)  # the notes' batch, and the sizes that go with it
    tgt_lengths: str = text("4 3", 40)
    batch_width: int = whole(5, 1, WIDEST)
    vocab: int = whole(8, 2, 32)
    d_model: int = whole(16, 1, 24)
    seed: int = whole(0, 0, 99)
    side: str = choice("src", "src", "tgt")
    row: int = whole(0, 0, 7)  # the sequence of the batch that is looked up
    first: int = whole(0, 0, 488)  # first dimension shown of a wide model
    factor: bool = flag(True)

    init: str = choice("xavier", "xavier", "normal")
    small: str | None = reply()

    left: int = whole(2, 0, 3)  # the numbers handed to F.pad, in its order
    right: int = whole(1, 0, 3)
    top: int = whole(0, 0, 3)
    bottom: int = whole(1, 0, 3)
    pad_cell: tuple[str, int, int] | None = cell()
    pad_shape: str | None = reply()
    pairs: str = choice("3", "1", "2", "3", "4")  # of numbers handed to F.pad for a tensor of four dimensions
    four_cell: tuple[str, int, int] | None = cell()

    repeated: str = text("4 5 8 8 1", 40)
    positions: bool = flag(False)
    repeat_cell: tuple[str, int, int] | None = cell()
    equal: str | None = reply()

    zero_row: bool = flag(True)
    zero_cell: tuple[str, int, int] | None = cell()
    learned: str | None = reply()

    printed: str = number_reply()  # what the notes' table has for token 3
    printed_cell: tuple[str, int, int] | None = cell()
    rows_cell: tuple[str, int, int] | None = cell()

    cell: tuple[str, int, int] | None = cell()  # of the lookup; last, for it hides the function of that name
