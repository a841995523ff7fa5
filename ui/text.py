"""Words of the app: one TOML file per chapter, English and Chinese under the same key, blanks as {{name}}."""

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

LANGUAGES = {"en": "English", "zh": "中文"}
FOLDER = Path(__file__).parent.parent / "assets" / "text"
_BLANK = re.compile(r"\{\{(\w+)\}\}")
_CJK = "[\u2014-\u201d\u3000-\u9fff\uff00-\uffef]"  # Chinese characters and full-width punctuation
_BROKEN_LINE = re.compile(f"(?<={_CJK})\n(?=[*<]?{_CJK})|(?<={_CJK}[*>])\n(?={_CJK})")


@cache
def load(chapter: str) -> dict[str, dict[str, str]]:
    """All texts of a chapter: key -> language -> text. Tables may be nested; their keys are joined with dots.

    A line break between two Chinese characters is taken out: Markdown would show it as a space.
    """
    with (FOLDER / f"{chapter}.toml").open("rb") as file:
        return _flatten(tomllib.load(file))


def _flatten(table: dict[str, Any], path: str = "") -> dict[str, dict[str, str]]:
    if set(table) == set(LANGUAGES):
        return {path: {lang: _BROKEN_LINE.sub("", text) for lang, text in table.items()}}
    texts: dict[str, dict[str, str]] = {}
    for key, value in table.items():
        if not isinstance(value, dict):
            raise ValueError(f"{path}.{key}: a text needs both languages, {' and '.join(LANGUAGES)}")
        texts |= _flatten(value, f"{path}.{key}" if path else key)
    return texts


class Typed(str):
    """What a reader typed. In a text it stands letter for letter, whatever it would mean as markdown."""

    __slots__ = ()

    def as_markdown(self) -> str:
        """Code, between more backticks than it has in a row; signs that only turn or hide others become visible."""
        shown = "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in self)
        fence = "`" * (1 + max(map(len, re.findall("`+", shown)), default=0))
        return f"{fence} {shown} {fence}"


def blanks(text: str) -> set[str]:
    return set(_BLANK.findall(text))


@dataclass(frozen=True)
class Words:
    """The words of one chapter in one language: `say("size", value=3)`."""

    chapter: str
    lang: str

    def __call__(self, key: str, **values: object) -> str:
        """The text under `key` with its blanks filled. KeyError if the text or a blank's value is missing."""
        text = load(self.chapter)[key][self.lang]
        return _BLANK.sub(lambda blank: _filled(values[blank[1]]), text) if "{{" in text else text

    def __contains__(self, key: str) -> bool:
        return key in load(self.chapter)


def _filled(value: object) -> str:
    return value.as_markdown() if isinstance(value, Typed) else str(value)
