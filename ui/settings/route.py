"""The route through the lecture notes, of `assets/text/route.toml`: its steps, each with the link to an experiment."""

import tomllib
from dataclasses import dataclass
from typing import Any, NamedTuple

from ui.settings.chapters import ROUTE
from ui.settings.deep_links import DeepLink
from ui.text import FOLDER, Words

DOCUMENTS = ("chapter_two", "first_look", "notebook", "forward_pass", "encoder")
PARTS = (*DOCUMENTS, "pictures")  # and what the notebook compares its blocks with


class PrintedValue(NamedTuple):
    """What a document prints, its digits, and the name of the same in `ui/chapters/route/numbers.py`."""

    what: str
    theirs: str
    ours: str


class TheirCode(NamedTuple):
    """A class or a function of a document, shapes of its example, and the name in `ui/chapters/route/code.py`."""

    signature: str
    given: str
    result: str
    ours: str


@dataclass(frozen=True)
class RouteStep(DeepLink):
    """A place in a document, and the experiment that belongs to it."""

    of: str
    corrected: bool
    printed: tuple[PrintedValue, ...]
    code: tuple[TheirCode, ...]

    def at(self, lang: str) -> str:
        """What the document is about there, in the words of its heading."""
        return Words(ROUTE, lang)(f"{self.name}.at")

    def see(self, lang: str) -> str:
        return Words(ROUTE, lang)(f"{self.name}.see")

    def correction(self, lang: str) -> str:
        """What the document says wrongly there; "" if nothing."""
        return Words(ROUTE, lang)(f"{self.name}.correction") if self.corrected else ""


def _read() -> tuple[RouteStep, ...]:
    with (FOLDER / f"{ROUTE}.toml").open("rb") as file:
        tables = tomllib.load(file)
    return tuple(_step(name, table) for name, table in tables.items() if "link" in table)


def _step(name: str, table: dict[str, Any]) -> RouteStep:
    printed = tuple(PrintedValue(*row) for row in table.get("printed", ()))
    code = tuple(TheirCode(*row) for row in table.get("code", ()))
    (of,) = table["of"]
    chapter, section, query = table["link"]
    return RouteStep(name, chapter, section, query, of, "correction" in table, printed, code)


STEPS = _read()


def steps_of(part: str) -> tuple[RouteStep, ...]:
    return tuple(step for step in STEPS if step.of == part)
