"""Which word's loss it is, and which weight is looked at: settings that several sections share."""

from ui.sections import Chapter
from ui.settings.fields import Settings, text, whole

FIRST = "encoder.layers.0.self_attn.linears.3.weight"  # to which every token has a say


class OfWord(Settings):
    word: int = whole(99, 0, 99)  # of the answer; its last one where there is no such


class ChosenParameter(Settings):
    matrix: str = text(FIRST, 100)  # any parameter, by its name; the nearest one where there is no such
    out: int = whole(0, 0, 9999)  # its row: which output, of a table which word; vectors have one
    into: int = whole(0, 0, 9999)  # its column: which input


def word_of(chapter: Chapter[OfWord], target: tuple[int, ...]) -> int:
    """The place of the word whose loss it is."""
    return min(chapter.settings.word, max(0, len(target) - 3))
