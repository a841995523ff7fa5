"""Settings of the chapter on positions."""

from dataclasses import dataclass

from ui.settings.compared import Compared, subject
from ui.settings.fields import Folding, cell, number_reply, real, reply, text, whole


@dataclass(frozen=True)
class Positions(Compared, Folding):
    delta: str = subject("src_embed.1.output")
    length: int = whole(100, 2, 128)  # the notes' plot: 100 positions, 20 dimensions, curves of 4 to 7
    d_model: int = whole(20, 0, 128)  # here and below 0, 1 and odd sizes are answered in words
    base: float = real(4.0, 0.5, 6.0)  # power of ten
    dims: str = text("4 5 6 7", 40)

    slowest: str = number_reply()
    wave_d: int = whole(512, 0, 512)
    wave_base: float = real(4.0, 0.5, 6.0)

    product_length: int = whole(32, 4, 48)
    product_d: int = whole(20, 0, 64)
    product_cell: tuple[str, int, int] | None = cell()

    turn_d: int = whole(8, 0, 24)
    pos: int = whole(5, 0, 99)
    shift: int = whole(3, 0, 50)
    turn_cell: tuple[str, int, int] | None = cell()
    angle: str | None = reply()

    form_d: int = whole(512, 0, 512)
    form_at: int = whole(4999, 1, 4999)  # the last position of the notes' code
    layout_cell: tuple[str, int, int] | None = cell()
    frozen_cell: tuple[str, int, int] | None = cell()

    phrase: str = text("1 4 7 4 7 9 9 2 4", 100)
    size: float = real(1.0, 0.0, 10.0)  # of the embeddings, as a multiple
    sum_first: int = whole(0, 0, 496)
    sum_cell: tuple[str, int, int] | None = cell()

    order_seed: int = whole(0, 0, 99)
    order_first: int = whole(0, 0, 496)
    order_cell: tuple[str, int, int] | None = cell()
    order: str | None = reply()

    beyond: str | None = reply()
    beyond_cell: tuple[str, int, int] | None = cell()

    cell: tuple[str, int, int] | None = cell()  # of the heatmap; last, for it hides the function of that name
    ask_fast: str | None = reply()
    ask_distance: str | None = reply()
    ask_twice: str | None = reply()
