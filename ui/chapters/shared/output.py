"""An output in words, and as a row of tokens."""

from collections.abc import Iterable, Mapping, Sequence

from ui.figures.markup import Markup, element, glossed, in_direction
from ui.model import ModelAtHand


def reads(at_hand: ModelAtHand, output: Sequence[int]) -> str:
    """The output as one writes it; numbers, and what has no words, token by token."""
    words = "" if at_hand.words is None else at_hand.target.text(at_hand.target.until_end(output))
    return words or " ".join(at_hand.target.labels(output))


def boxes(names: Iterable[str], glosses: Mapping[str, str]) -> list[Markup]:
    return [element("span", glossed(name, glosses), class_="token") for name in names]


def row(kind: str, name: str, boxes: Iterable[Markup]) -> Markup:
    """Tokens, each a box, behind their `name` in the colour of the `kind`, "enc" or "dec"."""
    return element("div", element("small", name, class_=kind), *in_direction(list(boxes)), class_="tokens")
