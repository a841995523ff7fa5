"""A text that a reader typed and that cannot be used."""

from ui.text import Typed


class Mistyped(ValueError):
    """The key of the sentence that says why, and the values of its blanks."""

    def __init__(self, key: str, **values: object) -> None:
        super().__init__(key)
        self.key = key
        self.values = {name: Typed(value) if isinstance(value, str) else value for name, value in values.items()}
