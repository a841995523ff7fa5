"""Which way a text is translated, and whether two texts are of one language."""

from transformer_core.tasks import Translation, WordTask
from ui.text import is_han


def direction_of(words: WordTask, text: str) -> str:
    """The name of what the task makes of a text: "translate en-zh" of an English one, where it goes both ways. A
    language is told by its script where no word is known."""
    if not isinstance(words, Translation):
        return words.name
    if words.direction == "both" and is_han(text.strip()):
        return "translate zh-en"
    return f"translate {words.direction_of(text)}"


def same_language(words: WordTask | None, text: str, other: str) -> bool:
    """Whether a task reads both texts in the same language."""
    return words is None or direction_of(words, text) == direction_of(words, other)
