"""Settings of the chapter on all heads."""

from dataclasses import dataclass, field

from ui.settings.compared import Compared, subject
from ui.settings.fields import Cell, Folding, choice, number_reply, reply, text, whole
from ui.settings.kinds import KINDS

SHOWN = ("weights", "scores")


@dataclass(frozen=True)
class Heads(Compared, Folding):
    delta: str = subject("decoder.layers.0.src_attn.weights")
    open: str = text("opened")  # in a link that says nothing of it, as in 1.0
    shown: str = choice("weights", *SHOWN)
    # The head that is open, by one of its cells: `kind.layer.head`, row, column; then the cell of its large picture.
    cell: tuple[str, int, int] | None = field(default=("cross.0.0", 3, 4), metadata={"kind": Cell()})
    opened: tuple[str, int, int] | None = field(default=("weights", 3, 4), metadata={"kind": Cell()})
    align_layer: int = whole(0, 0, 5)
    align_head: int = whole(2, 0, 15)
    align_word: int = whole(4, 0, 99)  # of the output
    hit_cell: tuple[str, int, int] | None = field(default=("hits", 2, 4), metadata={"kind": Cell()})
    many_cell: tuple[str, int, int] | None = field(default=("share", 2, 0), metadata={"kind": Cell()})
    never: str | None = reply()
    number_cell: tuple[str, int, int] | None = field(default=("following", 4, 0), metadata={"kind": Cell()})
    size: str = number_reply()
    merge_kind: str = choice("cross", *KINDS)
    merge_layer: int = whole(0, 0, 5)
    merge_first: int = whole(0, 0, 448)  # first dimension shown of a wide model
    merge_cell: tuple[str, int, int] | None = field(default=("output", 3, 0), metadata={"kind": Cell()})
    share_cell: tuple[str, int, int] | None = field(default=("shares", 0, 0), metadata={"kind": Cell()})
    size_cell: tuple[str, int, int] | None = field(default=("sizes", 0, 3), metadata={"kind": Cell()})
    hurts: str | None = reply()
    if_how: str = choice("off", "off", "uniform", "row", "residual", "positions", "swap")
    if_kind: str = choice("cross", *KINDS)
    if_layer: int = whole(0, 0, 5)
    if_head: int = whole(3, 0, 15)
    if_query: int = whole(1, 0, 99)
    if_row: str = text("")  # the weights of that query, on the keys that it may see
    if_place: int = whole(1, 0, 29)  # which residual connection, the encoder's first
    if_first: int = whole(2, 0, 99)  # of the words of the source
    if_second: int = whole(3, 0, 99)
    if_cell: tuple[str, int, int] | None = field(default=("delta", 0, 3), metadata={"kind": Cell()})
    if_look_layer: int = whole(0, 0, 5)
    if_look_head: int = whole(3, 0, 15)
    if_look_word: int = whole(-1, -1, 99)  # of the output; -1: the one that the change is about
    why_row: int = whole(3, 0, 98)  # of the decoder
    why_rival: int = whole(0, 0, 999)  # in the order of their logits, after the likeliest token
    why_cell: tuple[str, int, int] | None = field(default=("heads", 1, 0), metadata={"kind": Cell()})
    ablation_cell: tuple[str, int, int] | None = field(default=("added", 0, 0), metadata={"kind": Cell()})
    ranked_cell: tuple[str, int, int] | None = field(default=("added", 1, 0), metadata={"kind": Cell()})
    view_cell: tuple[str, int, int] | None = field(default=("view", 1, 5), metadata={"kind": Cell()})
    ask_copy: str | None = reply()
