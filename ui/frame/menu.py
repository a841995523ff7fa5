"""The menu: every chapter, part by part, and under the one that is open its sections.

All of it is one element of the page. A link of Streamlit's own for each chapter would be an element each, sent with
every run of every page; `assets/page.js` follows these without loading the page anew.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from itertools import islice
from urllib.parse import urlencode

from ui import address
from ui.settings.chapters import MAP, PARTS, TEACHERS
from ui.text import Words


def title(chapter: str, lang: str) -> str:
    return Words(chapter, lang)("title")


@dataclass(frozen=True)
class Menu:
    """The menu as HTML on a page: what stands above the names of its sections, and what stands below them."""

    above: str
    below: str
    lang: str

    def html(self, sections: Sequence[tuple[str, str]] = ()) -> str:
        """With the names and titles of the page's `sections`."""
        entries = (f'<a href="#{anchor(name)}" data-section="{name}">{escape(title)}</a>' for name, title in sections)
        say = Words("shell", self.lang)
        label = f'aria-label="{escape(say("page.contents"))}"'
        contents = f'<nav class="contents" {label}>{"".join(entries)}</nav>' if sections else ""
        skip = f'<a class="skip-menu" href="#stMain">{escape(say("page.skip_menu"))}</a>'
        name = f'aria-label="{escape(say("page.menu"))}"'
        return f'{skip}<nav class="menu" {name}>{self.above}{contents}{self.below}</nav>'


def menu(here: str, lang: str) -> Menu:
    shell = Words("shell", lang)
    lines = {MAP: _link(MAP, shell("name"), here)}
    for part, chapters in PARTS.items():
        lines[f"part.{part}"] = f"<p>{escape(shell(f'part.{part}'))}</p>"
        lines |= {chapter: _link(chapter, escape(title(chapter, lang)), here) for chapter in chapters}
    icon = '<span class="icon" aria-hidden="true" translate="no">school</span>'
    lines[TEACHERS] = _link(TEACHERS, icon + escape(title(TEACHERS, lang)), here)
    at = 1 + list(lines).index(here)
    return Menu("".join(islice(lines.values(), at)), "".join(islice(lines.values(), at, None)), lang)


def anchor(section: str) -> str:
    return section.replace("_", "-")


def _link(chapter: str, inside: str, here: str) -> str:
    """All pages lie beside each other, so where a link leads is said from there."""
    query = urlencode(address.query(chapter))
    to = f"{'./' if chapter == MAP else chapter}{'?' if query else ''}{query}"
    current = ' aria-current="page"' if chapter == here else ""
    return f'<a href="{escape(to)}"{current}>{inside}</a>'
