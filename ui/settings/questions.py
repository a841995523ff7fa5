"""The questions of learners, of `assets/text/questions.toml`, each with the link to where the app shows the answer."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ui.settings.chapters import QUESTIONS
from ui.settings.deep_links import DeepLink
from ui.text import FOLDER, Words


@dataclass(frozen=True)
class QuotedNumber:
    """A number of an answer, as it is printed, and where the question's link shows it."""

    printed: str
    source: str


@dataclass(frozen=True)
class Question(DeepLink):
    """What a learner asks, and the chapter, section and settings that show the answer."""

    also: tuple[str, ...]  # what it is looked for by, besides its own words
    numbers: Mapping[str, QuotedNumber]

    def asked(self, lang: str) -> str:
        return Words(QUESTIONS, lang)(f"{self.name}.question")

    def answer(self, lang: str) -> str:
        values = {name: number.printed for name, number in self.numbers.items()}
        return Words(QUESTIONS, lang)(f"{self.name}.answer", **values)


def _read() -> tuple[Question, ...]:
    with (FOLDER / f"{QUESTIONS}.toml").open("rb") as file:
        tables = tomllib.load(file)
    return tuple(_question(name, table) for name, table in tables.items() if "link" in table)


def _question(name: str, table: dict[str, Any]) -> Question:
    chapter, section, query = table["link"]
    numbers = {called: QuotedNumber(printed, source) for called, printed, source in table["numbers"]}
    return Question(name, chapter, section, query, tuple(table["also"]), numbers)


ASKED = _read()
