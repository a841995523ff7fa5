"""The questions of learners, of `assets/text/questions.toml`, each with the link to where the app shows the answer."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.parse import parse_qsl, urlencode

from ui.settings.chapters import MAP, PARTS, QUESTIONS
from ui.text import FOLDER, Words


@dataclass(frozen=True)
class QuotedNumber:
    """A number of an answer, as it is printed, and where the question's link shows it."""

    printed: str
    source: str


@dataclass(frozen=True)
class Question:
    """What a learner asks, and the chapter, section and settings that show the answer."""

    name: str
    chapter: str
    section: str
    query: str
    also: tuple[str, ...]  # what it is looked for by, besides its own words
    numbers: Mapping[str, QuotedNumber]

    @property
    def part(self) -> str:
        """The part of the menu that it belongs to; the map is about the model."""
        return next((part for part, chapters in PARTS.items() if self.chapter in chapters), "model")

    @cached_property
    def settings(self) -> dict[str, str]:
        return dict(parse_qsl(self.query))

    def asked(self, lang: str) -> str:
        return Words(QUESTIONS, lang)(f"{self.name}.question")

    def answer(self, lang: str) -> str:
        values = {name: number.printed for name, number in self.numbers.items()}
        return Words(QUESTIONS, lang)(f"{self.name}.answer", **values)

    @property
    def title(self) -> str:
        """The key of the section's title in the chapter's texts; "" where the page opens with it."""
        key = f"{self.section}.title"
        return key if key in Words(self.chapter, "en") else ""

    def link(self, lang: str) -> str:
        """From any page of the app, for all of them lie beside each other."""
        to = "./" if self.chapter == MAP else self.chapter
        place = f"#{self.section.replace('_', '-')}" if self.title else ""
        return f"{to}?{urlencode(self.settings | {'lang': lang})}{place}"


def _read() -> tuple[Question, ...]:
    with (FOLDER / f"{QUESTIONS}.toml").open("rb") as file:
        tables = tomllib.load(file)
    return tuple(_question(name, table) for name, table in tables.items() if "link" in table)


def _question(name: str, table: dict[str, Any]) -> Question:
    chapter, section, query = table["link"]
    numbers = {called: QuotedNumber(printed, source) for called, printed, source in table["numbers"]}
    return Question(name, chapter, section, query, tuple(table["also"]), numbers)


ASKED = _read()
