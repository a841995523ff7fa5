"""The menu: the path through the chapters, part by part, and under the one that is open its sections.

Of each chapter it says whether this session has seen it, and of one that it is the next.

All of it is one element of the page. A link of Streamlit's own for each chapter would be an element each, sent with
every run of every page; `assets/page.js` follows these without loading the page anew.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from itertools import islice
from urllib.parse import urlencode

from ui import state
from ui.settings.chapters import BESIDE, CHAPTERS, MAP, PARTS, QUESTIONS, ROUTE, TEACHERS
from ui.text import Words

MARKS = SEEN, NEXT = "seen", "next"
ICONS = {QUESTIONS: "help", TEACHERS: "school", ROUTE: "route"}


def title(chapter: str, lang: str) -> str:
    return Words(chapter, lang)("title")


@dataclass(frozen=True)
class Menu:
    """The menu as HTML on a page: what stands above the names of its sections, and what stands below them."""

    above: str
    below: str
    lang: str

    def html(self, sections: Sequence[tuple[str, str]] = ()) -> str:
        entries = (f'<a href="#{anchor(name)}" data-section="{name}">{escape(title)}</a>' for name, title in sections)
        say = Words("shell", self.lang)
        label = f'aria-label="{escape(say("page.contents"))}"'
        contents = f'<nav class="contents" {label}>{"".join(entries)}</nav>' if sections else ""
        skip = f'<a class="skip-menu" href="#stMain">{escape(say("page.skip_menu"))}</a>'
        name = f'aria-label="{escape(say("page.menu"))}"'
        marks = "".join(f'<span hidden id="menu-{mark}">{escape(say(f"page.{mark}"))}</span>' for mark in MARKS)
        return f'{skip}{_search(say)}<nav class="menu" {name}>{self.above}{contents}{self.below}{marks}</nav>'


def menu(here: str, lang: str, notes: bool) -> Menu:
    """With `notes`, the page that leads through the lecture notes stands in it, too."""
    shell, marks = Words("shell", lang), _marks(here)

    def step(chapter: str, name: str) -> str:
        following = f'<small aria-hidden="true">{escape(shell("page.next"))}</small>'
        mark = marks.get(chapter, "")
        return _link(chapter, escape(name) + following * (mark == NEXT), here, mark)

    lines = {MAP: step(MAP, shell("name"))}
    for part, chapters in PARTS.items():
        lines[f"part.{part}"] = f"<p>{escape(shell(f'part.{part}'))}</p>"
        lines |= {chapter: step(chapter, title(chapter, lang)) for chapter in chapters}
    beside = (page for page in BESIDE if notes or page in (TEACHERS, QUESTIONS, here))
    lines |= {page: _link(page, _icon(ICONS[page]) + escape(title(page, lang)), here) for page in beside}
    at = 1 + list(lines).index(here)
    return Menu("".join(islice(lines.values(), at)), "".join(islice(lines.values(), at, None)), lang)


def _marks(here: str) -> dict[str, str]:
    """What is said of chapters: that this session has seen them, and of the first one after this that it has not."""
    way = (MAP, *CHAPTERS)
    marks = {chapter: SEEN for chapter in way if state.stays(f"chapter.{chapter}", now=chapter == here)}
    at = way.index(here) if here in way else 0
    following = next((chapter for chapter in (*way[at:], *way[:at]) if chapter not in marks), None)
    return marks | ({following: NEXT} if following else {})


def _search(say: Words) -> str:
    """The button that opens the search, `assets/search.js`."""
    key = '<kbd aria-hidden="true">/</kbd>'
    inside = f"{_icon('search')}{escape(say('search.name'))}{key}"
    return f'<button type="button" class="search-open" aria-keyshortcuts="/">{inside}</button>'


def _icon(name: str) -> str:
    return f'<span class="icon" aria-hidden="true" translate="no">{name}</span>'


def anchor(section: str) -> str:
    return section.replace("_", "-")


def _link(chapter: str, inside: str, here: str, mark: str | None = None) -> str:
    """All pages lie beside each other, so where a link leads is said from there; it leads to the whole chapter. A step
    of the path has a `mark`, or ""."""
    query = urlencode(state.query(chapter, only=""))
    to = f"{'./' if chapter == MAP else chapter}{'?' if query else ''}{query}"
    said = "" if mark is None else ' class="step"'
    said += f' data-mark="{mark}" aria-describedby="menu-{mark}"' if mark else ""
    said += ' aria-current="page"' if chapter == here else ""
    said += f' data-chapter="{chapter}"'
    return f'<a href="{escape(to)}"{said}>{inside}</a>'
