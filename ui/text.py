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


@cache
def load(chapter: str) -> dict[str, dict[str, str]]:
    """All texts of a chapter: key -> language -> text. Tables may be nested; their keys are joined with dots."""
    with (FOLDER / f"{chapter}.toml").open("rb") as file:
        return _flatten(tomllib.load(file))


def _flatten(table: dict[str, Any], path: str = "") -> dict[str, dict[str, str]]:
    if set(table) == set(LANGUAGES):
        return {path: table}
    texts: dict[str, dict[str, str]] = {}
    for key, value in table.items():
        if not isinstance(value, dict):
            raise ValueError(f"{path}.{key}: a text needs both languages, {' and '.join(LANGUAGES)}")
        texts |= _flatten(value, f"{path}.{key}" if path else key)
    return texts


def blanks(text: str) -> set[str]:
    return set(_BLANK.findall(text))


@dataclass(frozen=True)
class Words:
    """The words of one chapter in one language: `say("size", value=3)`."""

    chapter: str
    lang: str

    def __call__(self, key: str, **values: object) -> str:
        """The text under `key` with its blanks filled. KeyError if the text or a blank's value is missing."""
        return _BLANK.sub(lambda blank: str(values[blank[1]]), load(self.chapter)[key][self.lang])

    def __contains__(self, key: str) -> bool:
        return key in load(self.chapter)
