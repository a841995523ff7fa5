"""The menu: the path through the chapters, part by part, and under the one that is open its sections.

Of each chapter it says whether this session has seen it, and of one that it is the next.

All of it is one element of the page. A link of Streamlit's own for each chapter would be an element each, sent with
every run of every page; `assets/page.js` follows these without loading the page anew.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
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
    beside = [page for page in BESIDE if notes or page in (TEACHERS, QUESTIONS, here)]
    marks = _marks(here)
    return _menu(
        here,
        lang,
        tuple((chapter, _query(chapter), marks.get(chapter, "")) for chapter in (MAP, *CHAPTERS)),
        tuple((page, _query(page)) for page in beside),
    )


Query = tuple[tuple[str, str], ...]  # a link, as a value that can be looked up


def _query(chapter: str) -> Query:
    """It leads to the whole chapter."""
    return tuple(state.query(chapter, only="").items())


@lru_cache(maxsize=512)
def _menu(
    here: str, lang: str, path: tuple[tuple[str, Query, str], ...], beside: tuple[tuple[str, Query], ...]
) -> Menu:
    """Of the chapters with their links and marks, and of the pages beside them."""
    shell = Words("shell", lang)
    steps = {chapter: (query, mark) for chapter, query, mark in path}

    def step(chapter: str, name: str) -> str:
        following = f'<small aria-hidden="true">{escape(shell("page.next"))}</small>'
        query, mark = steps[chapter]
        return _link(chapter, query, escape(name) + following * (mark == NEXT), here, mark)

    lines = {MAP: step(MAP, shell("name"))}
    for part, chapters in PARTS.items():
        lines[f"part.{part}"] = f"<p>{escape(shell(f'part.{part}'))}</p>"
        lines |= {chapter: step(chapter, title(chapter, lang)) for chapter in chapters}
    lines |= {page: _link(page, query, _icon(ICONS[page]) + escape(title(page, lang)), here) for page, query in beside}
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


def _link(chapter: str, query: Query, inside: str, here: str, mark: str | None = None) -> str:
    """All pages lie beside each other, so where a link leads is said from there. A step of the path has a `mark`, or
    ""."""
    said = urlencode(query)
    to = f"{'./' if chapter == MAP else chapter}{'?' if said else ''}{said}"
    attributes = "" if mark is None else ' class="step"'
    attributes += f' data-mark="{mark}" aria-describedby="menu-{mark}"' if mark else ""
    attributes += ' aria-current="page"' if chapter == here else ""
    attributes += f' data-chapter="{chapter}"'
    return f'<a href="{escape(to)}"{attributes}>{inside}</a>'
