"""The menu: every chapter, part by part, and under the one that is open its sections.

All of it is one element of the page. A link of Streamlit's own for each chapter would be an element each, sent with
every run of every page; `assets/page.js` follows these without loading the page anew.
"""

from collections.abc import Sequence
from html import escape
from urllib.parse import urlencode

from ui import address
from ui.settings.chapters import MAP, PARTS, TEACHERS
from ui.text import Words


def title(chapter: str, lang: str) -> str:
    return Words(chapter, lang)("title")


def menu(here: str, lang: str, sections: Sequence[tuple[str, str]] = ()) -> str:
    """The menu as HTML on the page of the chapter `here`, which has the given `sections`: (name, title)."""
    shell = Words("shell", lang)
    lines = [_link(MAP, shell("name"), here)]
    for part, chapters in PARTS.items():
        lines.append(f"<p>{escape(shell(f'part.{part}'))}</p>")
        for chapter in chapters:
            lines.append(_link(chapter, escape(title(chapter, lang)), here))
            if chapter == here:
                lines.append(_contents(sections))
    icon = '<span class="icon" aria-hidden="true" translate="no">school</span>'
    lines.append(_link(TEACHERS, icon + escape(title(TEACHERS, lang)), here))
    if here in (MAP, TEACHERS):
        lines.insert(1 if here == MAP else len(lines), _contents(sections))
    return f'<nav class="menu">{"".join(lines)}</nav>'


def anchor(section: str) -> str:
    return section.replace("_", "-")


def _link(chapter: str, inside: str, here: str) -> str:
    """All pages lie beside each other, so where a link leads is said from there."""
    query = urlencode(address.query(chapter))
    to = f"{'./' if chapter == MAP else chapter}{'?' if query else ''}{query}"
    current = ' aria-current="page"' if chapter == here else ""
    return f'<a href="{escape(to)}"{current}>{inside}</a>'


def _contents(sections: Sequence[tuple[str, str]]) -> str:
    entries = (f'<a href="#{anchor(name)}" data-section="{name}">{escape(title)}</a>' for name, title in sections)
    return f'<nav class="contents">{"".join(entries)}</nav>' if sections else ""
