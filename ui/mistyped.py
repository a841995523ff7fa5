"""A row that a reader typed: what stands in it, and why it cannot be used."""

import re

from ui.text import Typed


def apart(text: str) -> list[str]:
    """What is separated by spaces or commas, in brackets or not."""
    return [word for word in re.split(r"[\s,，、;；]+", text.strip().strip("[]()")) if word]


class Mistyped(ValueError):
    """The key of the sentence that says why, and the values of its blanks."""

    def __init__(self, key: str, **values: object) -> None:
        super().__init__(key)
        self.key = key
        self.values = {name: Typed(value) if isinstance(value, str) else value for name, value in values.items()}
