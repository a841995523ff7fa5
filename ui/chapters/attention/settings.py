"""Settings of the chapter on one attention head."""

from dataclasses import dataclass, field

from ui.settings.compared import Compared, subject
from ui.settings.fields import Cell, Folding, choice, number_reply, real, reply, whole
from ui.settings.kinds import KINDS

STAGES = ("products", "scores", "masked", "weights", "output", "all")
PARTS = ("q", "k", "v")  # in the order of the model's matrices W_Q, W_K, W_V


@dataclass(frozen=True)
class Attention(Compared, Folding):
    delta: str = subject("decoder.layers.0.src_attn.scores")
    kind: str = choice("cross", *KINDS)
    layer: int = whole(0, 0, 5)
    head: int = whole(0, 0, 15)
    stage: str = choice("products", *STAGES)
    # Cells are chosen from the start, so that the first look at the page shows where a number comes from.
    cell: tuple[str, int, int] | None = field(default=("products", 3, 4), metadata={"kind": Cell()})
    part: str = choice("q", *PARTS)
    part_first: int = whole(0, 0, 448)  # first dimension shown of a wide model
    part_cell: tuple[str, int, int] | None = field(default=("projected", 3, 0), metadata={"kind": Cell()})
    p: float = real(0.1, 0, 0.5)
    seed: int = whole(0, 0, 9999)
    drop_cell: tuple[str, int, int] | None = field(default=("dropped", 3, 4), metadata={"kind": Cell()})
    sums: str | None = reply()
    looks: str | None = reply()
    looks_words: str | None = reply()
    kept: str = number_reply()
    ask_product: str | None = reply()
    ask_scale: str | None = reply()
    ask_output: str | None = reply()
    ask_masked: str | None = reply()
