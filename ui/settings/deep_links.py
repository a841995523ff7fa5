"""A link into a chapter: to a section, with the settings that show something there."""

from dataclasses import dataclass
from functools import cached_property
from urllib.parse import parse_qsl, urlencode

from ui.settings.chapters import MAP, PARTS
from ui.text import Words


@dataclass(frozen=True)
class DeepLink:
    """What is called `name` leads to a section of a chapter, with the settings of a `query`."""

    name: str
    chapter: str
    section: str
    query: str

    @property
    def part(self) -> str:
        """The part of the menu that it belongs to; the map is about the model."""
        return next((part for part, chapters in PARTS.items() if self.chapter in chapters), "model")

    @cached_property
    def settings(self) -> dict[str, str]:
        return dict(parse_qsl(self.query))

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
