"""What the search of `assets/search.js` looks through: learners' questions, the glossary, chapters and their sections.

All of it is read from the texts, so that no chapter has to be loaded for it: in a chapter's file `<section>.title` is
the title of a section, but for the headings WITHIN one.
"""

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache

from ui.browser_files import BrowserFile
from ui.frame.menu import anchor, title
from ui.settings.chapters import BESIDE, CHAPTERS, MAP, QUESTIONS
from ui.settings.questions import ASKED
from ui.text import LANGUAGES, TERMS, Words, load

WITHIN = {
    MAP: {"count"},
    "positions": {"rotation"},
    "attention": {"lines", "words"},
    "masks": {"causality", "drift"},
    "training": {"pairs"},
}
KINDS = ["question", "term", "chapter", "section"]
# What search.js says, under `search.` in the texts of the frame
SAID = [*KINDS, "name", "placeholder", "one", "many", "none", "hint", "every", "close", "away"]
_MARKUP = re.compile(r"<[^>]+>|[*`$\\]")

Entry = Mapping[str, str]


@cache
def entries(lang: str) -> tuple[Entry, ...]:
    """All that can be found. `link` leads to a page as if from outside; `chapter` to one as the reader has left it, at
    the heading `section`."""
    return (*_questions(lang), *_terms(lang), *_chapters(lang))


@cache
def entries_file(lang: str) -> BrowserFile:
    """The same for a browser, which fetches it once the page stands."""
    return BrowserFile("search", ".json", json.dumps(entries(lang), ensure_ascii=False))


def sections(chapter: str) -> list[str]:
    """The sections of a chapter that have a title, in the order of its texts."""
    names = (re.fullmatch(r"(\w+)\.title", key) for key in load(chapter))
    return [name[1] for name in names if name and name[1] not in WITHIN.get(chapter, ())]


def _questions(lang: str) -> Iterator[Entry]:
    for one in ASKED:
        told = {"title": one.asked(lang), "text": one.answer(lang), "also": " ".join(one.also)}
        yield {"kind": "question", **told, "link": one.link(lang)}


def _terms(lang: str) -> Iterator[Entry]:
    say, places = Words(TERMS, lang), _places()
    for term, place in places.items():
        names = {load(TERMS)[f"{term}.name"][one] for one in LANGUAGES}
        also = " ".join([*sorted(names), term])
        told = {"title": _plain(say(f"{term}.name")), "text": _plain(say(f"{term}.text")), "also": _plain(also)}
        yield {"kind": "term", **told, **place}


def _chapters(lang: str) -> Iterator[Entry]:
    for chapter in (MAP, *CHAPTERS, *BESIDE):
        say, name = Words(chapter, lang), title(chapter, lang)
        yield {"kind": "chapter", "title": name, "text": _plain(say("promise")), "chapter": chapter}
        for section in sections(chapter) if chapter not in BESIDE else ():
            told = {"title": _plain(say(f"{section}.title")), "text": name}
            yield {"kind": "section", **told, "chapter": chapter, "section": anchor(section)}


@cache
def _places() -> dict[str, dict[str, str]]:
    """Where each term of the glossary is said first: a chapter, and its section if the text belongs to one."""
    places: dict[str, dict[str, str]] = {}
    for chapter in (MAP, *CHAPTERS):
        named = sections(chapter)
        for key, texts in load(chapter).items():
            section = key.partition(".")[0]
            at = {"section": anchor(section)} if section in named else {}
            for term in re.findall(r"\[\[(\w+)", texts["en"]):
                places.setdefault(term, {"chapter": chapter, **at})
    every = (key.removesuffix(".name") for key in load(TERMS) if key.endswith(".name"))
    return {term: places.get(term, {"chapter": QUESTIONS}) for term in every}


def _plain(text: str) -> str:
    """Without the marks of Markdown and HTML."""
    return _MARKUP.sub("", text)
