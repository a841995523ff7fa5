"""A row that a reader typed: what stands in it, and why it cannot be used."""

import re

from ui.text import Typed

# A Chinese keyboard may write digits and signs as wide as its characters: １， for 1,
FULL_WIDTH = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}


def apart(text: str) -> list[str]:
    """What is separated by spaces or commas, in brackets or not; digits and signs may be full-width ones."""
    return [word for word in re.split(r"[\s,、;]+", text.translate(FULL_WIDTH).strip().strip("[]()")) if word]


class Mistyped(ValueError):
    """The key of the sentence that says why, and the values of its blanks."""

    def __init__(self, key: str, **values: object) -> None:
        super().__init__(key)
        self.key = key
        self.values = {name: Typed(value) if isinstance(value, str) else value for name, value in values.items()}
