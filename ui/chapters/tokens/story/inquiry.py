"""What the story of tokens asks: the two strips of a word that stands twice; and once their positions are added."""

from transformer_core import START
from transformer_core.tasks.vocabulary import PAD
from ui.chapters.tokens.story.values import TokensStoryValues, looked_up, twins_of
from ui.sections import Choice
from ui.sections.inquiry import Inquiry, Version, short
from ui.text import is_han

TWICE = Choice("story_twice", ("same", "neighbours", "places"), right="same")


def with_positions(v: TokensStoryValues, seed: int) -> Version | None:
    """Two words of the seed's, the first of them said again, in the script of the story's sentence."""
    source = v.at_hand.source
    script = is_han(source.every[v.token])
    known = [
        token for token, name in enumerate(source.every)
        if token not in (PAD, START, source.end) and is_han(name) == script
    ]  # fmt: skip
    if len(known) < 2:
        return None
    at = 5 * seed % len(known)
    word, other = known[at], known[(at + 1 + seed % (len(known) - 1)) % len(known)]
    tokens = tuple(source.sequence([word, other, word]))
    found, (first, again) = looked_up(v.at_hand, tokens), twins_of(tokens)
    read = found.vectors + found.code
    difference = float(abs(read[first] - read[again]).max())
    text = " ".join(source.every[token] for token in (word, other, word))
    said = {"text": text, "word": source.every[word], "first": first, "again": again, "difference": short(difference)}
    return Version("places" if difference else "same", said)


LOOKED_UP = Inquiry(TWICE, ("trained", "id", "sentence"), "id", with_positions)
