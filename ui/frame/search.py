"""What the search of `assets/search.js` looks through: learners' questions, the glossary, chapters and their sections.

All of it is read from the texts, so that no chapter has to be loaded for it: in a chapter's file `<section>.title` is
the title of a section, but for the headings WITHIN one. A section is found by what it says, too, a chapter by its story
and by what stands in none of its sections. Other people's names for things are in `assets/synonyms.toml`.
"""

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from ui.browser_files import BrowserFile
from ui.frame.menu import anchor, title
from ui.settings.chapters import BESIDE, CHAPTERS, MAP, QUESTIONS
from ui.settings.questions import ASKED
from ui.text import FOLDER, LANGUAGES, TERMS, Words, load

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
SYNONYMS = FOLDER.parent / "synonyms.toml"
LONGEST = {"en": 400, "zh": 135}  # characters of a text that are searched
FEWEST_WORDS = 8  # of an English text that says something; fewer are labels
_MARKUP = re.compile(r"<[^>]+>|[*`$\\]")
_TERM = re.compile(r"\[\[(\w+)(?:\|([^\]]+))?\]\]")
_SENTENCE = re.compile(r".+?(?:[.?!](?= |$)|[。？！]|$)", re.DOTALL)
_LEAD = re.compile(r"^\*\*([^*\n{]+)\*\*", re.MULTILINE)  # what a paragraph says first, in bold
_LEFT_OUT = re.compile(r"\$\$.*?\$\$|\$[^$]*\$|\{\{\w+\}\}%?", re.DOTALL)  # formulas and blanks

Entry = Mapping[str, Any]


@cache
def entries(lang: str) -> tuple[Entry, ...]:
    """All that can be found. `link` leads to a page as if from outside; `chapter` to one as the reader has left it, at
    the heading `section`."""
    return (*_questions(lang), *_terms(lang), *_chapters(lang))


def found(lang: str) -> dict[str, object]:
    """What a browser finds by: the entries, and others' names for what they speak of."""
    return {"entries": [*entries(lang)], "synonyms": synonyms(lang)}


@cache
def entries_file(lang: str) -> BrowserFile:
    """The same as a file, which a browser fetches once the page stands."""
    return BrowserFile("search", ".json", json.dumps(found(lang), ensure_ascii=False, separators=(",", ":")))


@cache
def synonyms(lang: str) -> list[list[str]]:
    """What a page says, and then what others say for it: an entry with the first is found by each of the others."""
    with SYNONYMS.open("rb") as file:
        groups = tomllib.load(file)["groups"]
    here = lang if lang in LANGUAGES else "en"
    every = ([one[here], *(one[code] for code in LANGUAGES), *one["names"]] for one in groups)
    return [list(dict.fromkeys(names)) for names in every]


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
        say, name, said = Words(chapter, lang), title(chapter, lang), _said(chapter, lang)
        told = {"title": name, "text": _plain(say("promise")), "says": said[""]}
        yield {"kind": "chapter", **told, "chapter": chapter}
        for section in sections(chapter) if chapter not in BESIDE else ():
            told = {"title": _plain(say(f"{section}.title")), "text": name, "says": said[section]}
            also = {"also": names} if (names := _names(chapter, section, lang)) else {}
            yield {"kind": "section", **told, **also, "chapter": chapter, "section": anchor(section)}


def _said(chapter: str, lang: str) -> dict[str, list[str]]:
    """The texts of a chapter and the captions of its story, by the section that they stand in, "" if in none."""
    said: dict[str, list[str]] = {"": [], **{section: [] for section in sections(chapter)}}
    for key, texts in load(chapter).items() if chapter not in BESIDE else ():
        first, last = key.partition(".")[0], key.rpartition(".")[2]
        if (last == "text" or re.fullmatch(r"story\.\w+", key)) and len(texts["en"].split()) >= FEWEST_WORDS:
            said[first if first in said else ""].append(_beginning(_told(texts.get(lang, texts["en"]), lang), lang))
    return said


def _names(chapter: str, section: str, lang: str) -> str:
    """What the parts of a section are called: their names, and what its paragraphs say first, in bold."""
    texts = {key: one[lang] for key, one in load(chapter).items() if key.startswith(f"{section}.") and lang in one}
    names = [text for key, text in texts.items() if key.endswith(".name")]
    leads = [lead for text in texts.values() for lead in _LEAD.findall(text)]
    return " ".join(_plain(name) for name in [*names, *leads])


def _told(text: str, lang: str) -> str:
    """A text as it is read, without formulas and blanks."""
    whole = _LEFT_OUT.sub("…", _TERM.sub(lambda term: _named(term, lang), text))
    return " ".join(_plain(whole).split())


def _beginning(text: str, lang: str) -> str:
    sentences, kept = _SENTENCE.findall(text), ""
    while sentences and (not kept or len(kept + sentences[0]) <= LONGEST.get(lang, LONGEST["en"])):
        kept += sentences.pop(0)
    return kept.strip()


def _named(term: re.Match[str], lang: str) -> str:
    return term[2] or Words(TERMS, lang)(f"{term[1]}.name")


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
