"""Markup that nothing breaks out of: elements of names, values and children, escaped as they are put together."""

import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape, unescape
from unicodedata import bidirectional

_NO_WORDS = re.compile("<[^>]*>|⟨[^⟩]*⟩")  # markup, and what the model itself uses as a token
_HAN = re.compile("[\u3400-\u9fff]")
SHAPES = ("line", "path", "polyline", "rect")  # of SVG, which hold nothing


class Markup(str):
    """Text that is markup already. Made here alone, or of a constant of ours."""

    __slots__ = ()


def element(tag: str, *children: object, **attributes: object) -> Markup:
    """`<tag attribute="value">children</tag>`.

    A child that is no Markup is text. Of an attribute's name a last underscore is cut off (`class_`), others become
    hyphens (`data_at`); one that is None or False is left out, and a float is written as short as it is.
    """
    said = "".join(f' {_name(name)}="{_value(value)}"' for name, value in attributes.items() if not _absent(value))
    return Markup(f"<{tag}{said}/>" if tag in SHAPES else f"<{tag}{said}>{joined(children)}</{tag}>")


def joined(parts: Iterable[object]) -> Markup:
    return Markup("".join(part if isinstance(part, Markup) else escape(str(part)) for part in parts))


def glossed(name: str, glosses: Mapping[str, str]) -> Markup:
    """The name of a token, in small letters under it what its word means, if that is known."""
    if name not in glosses:
        return joined([name])
    of, told = tongues(name, glosses[name])
    return element("ruby", name, element("rt", glosses[name], lang=told), lang=of)


def tongues(word: str, gloss: str) -> tuple[str, str]:
    """The languages of a word that is explained and of its gloss: what has no Chinese character is English, but for a
    word that is explained in English, which is Spanish."""
    told = "zh" if _HAN.search(gloss) else "en"
    return ("zh" if _HAN.search(word) else "en" if told == "zh" and word.isascii() else "es"), told


def sentence(words: Sequence[str], glosses: Mapping[str, str]) -> Markup:
    """Words as one writes them: Chinese ones without spaces."""
    between = "" if _HAN.search("".join(words)) else " "
    return Markup(between.join(glossed(word, glosses) for word in words))


def in_direction(boxes: Sequence[Markup]) -> Sequence[Markup]:
    """Boxes of tokens as their script has them in a sentence: together from right to left, or as they are."""
    text = unescape(_NO_WORDS.sub("", "".join(boxes)))
    return [element("span", *boxes, dir="rtl")] if right_to_left(text) else boxes


def right_to_left(text: str) -> bool:
    """Whether its first letter belongs to such a script."""
    kinds = (kind for kind in map(bidirectional, text) if kind in ("L", "R", "AL"))
    return next(kinds, "L") != "L"


def style(**properties: object) -> str:
    """The value of a `style`; the hyphens of a property's name are underscores."""
    return ";".join(f"{name.replace('_', '-')}:{value}" for name, value in properties.items())


def px(size: float) -> str:
    return f"{size:g}px"


def _absent(value: object) -> bool:
    return value is None or value is False


def _name(name: str) -> str:
    return name.removesuffix("_").replace("_", "-")


def _value(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else escape(str(value))
