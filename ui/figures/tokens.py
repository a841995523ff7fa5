"""The tokens of a sequence as labels: the start symbol shows as one, any other token as its id."""

from collections.abc import Sequence

START = 1
MARK = "⟨s⟩"


def named(tokens: Sequence[int], *, ids: bool = False) -> list[str]:
    """A label for each token of a whole sequence. The start symbol is `START` at the front; elsewhere that id is a
    token like any other. `ids` keeps its id beside it, where ids are the subject."""
    first = f"{MARK} {START}" if ids else MARK
    return [first if at == 0 and token == START else str(token) for at, token in enumerate(tokens)]
