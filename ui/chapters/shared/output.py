"""An output in words, and as a row of tokens."""

from collections.abc import Sequence

from ui.model.at_hand import ModelAtHand


def reads(at_hand: ModelAtHand, output: Sequence[int]) -> str:
    """The output as one writes it; numbers, and what has no words, token by token."""
    words = "" if at_hand.words is None else at_hand.target.text(at_hand.target.until_end(output))
    return words or " ".join(at_hand.target.labels(output))


def row(kind: str, name: str, boxes: Sequence[str]) -> str:
    """HTML: tokens, each a box of markup, behind their `name` in the colour of the `kind`, "enc" or "dec"."""
    return f'<div class="tokens"><small class="{kind}">{name}</small>{"".join(boxes)}</div>'
