"""Settings of the chapter on softmax and scaling."""

from dataclasses import dataclass, field

from ui.settings.fields import Cell, Folding, cell, choice, flag, number_reply, real, reply, text, whole


@dataclass(frozen=True)
class Scaling(Folding):
    # scores typed or of a word in the model at hand, from the factor to the gradient
    which_scores: str = choice("typed", "model", "typed")
    layer: int = whole(0, 0, 5)
    head: int = whole(0, 0, 15)
    word: int = whole(0, 0, 63)
    scores: str = text("0.6052 -0.2023 -1.3294 -0.2546 1.5445", 200)  # the notes' five
    factor: float = real(1.0, 0.0, 20.0)
    steps_cell: tuple[str, int, int] | None = cell()
    sharp: str | None = reply()

    # the notes' three factors, and temperatures
    notes_cell: tuple[str, int, int] | None = cell()
    warm_cell: tuple[str, int, int] | None = cell()

    # the size of scores against d_k
    spread: str = number_reply()
    d_k: int = whole(64, 1, 512)
    seed: int = whole(0, 0, 9999)
    few_cell: tuple[str, int, int] | None = field(default=("plain", 0, 0), metadata={"kind": Cell()})

    # embeddings that attend to themselves
    width: int = whole(512, 2, 512)
    enlarge: bool = flag(True)
    divide: bool = flag(True)
    self_cell: tuple[str, int, int] | None = cell()

    # the real model with and without the scale
    run_heads: str = choice("1", "1", "2", "4", "8")
    trained: str = text("", 8)  # the pair that was asked for, `heads.seed`; a link to it trains it again
    run_seed: int = whole(0, 0, 20)
    ask_jacobian: str | None = reply()
    ask_eight: str | None = reply()
    ask_self: str | None = reply()
    ask_start: str | None = reply()
