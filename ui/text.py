"""Words of the app: one TOML file per chapter, English and Chinese under the same key, blanks as {{name}}.

[[term]] in a text, or [[term|other words]], is a term of the glossary, `terms.toml`, where a page may explain it.

A further language is one file, `assets/languages/<code>.toml`: its own name, then a table per chapter with the keys of
that chapter's file. It may hold as few texts as it likes; the rest is English.
"""

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

LANGUAGES = {"en": "English", "zh": "中文"}  # those that have every text
FOLDER = Path(__file__).parent.parent / "assets" / "text"
FURTHER = FOLDER.parent / "languages"
TERMS = "terms"
_TERM = re.compile(r"\[\[(\w+)(?:\|([^\]]+))?\]\]")
_BLANK = re.compile(r"\{\{(\w+)\}\}")
_CJK = "[\u2014-\u201d\u3000-\u9fff\uff00-\uffef]"  # Chinese characters and full-width punctuation
_HAN = re.compile("[\u3400-\u9fff]+")
_VALUE_OR_CODE = re.compile("(`[^`]*`|\\$[^$]*\\$)|\ue000([^\ue001]*)\ue001")
LITERAL = {ord(mark): f"&#{ord(mark)};" for mark in r"*_$~`[]\|"}  # marks of Markdown, so that they are signs
_NO_BOUNDS = dict.fromkeys(map(ord, "\ue000\ue001"))
_LATIN = re.compile(r"(?<![\w&#;.])[A-Za-zÀ-ÿ]+(?: [A-Za-zÀ-ÿ]+)*(?![\w.;])")  # no name from the code, no entity
_WORDS = re.compile(f"{_HAN.pattern}|{_LATIN.pattern}")
_BROKEN_LINE = re.compile(f"(?<={_CJK})\n(?=[*<]?{_CJK})|(?<={_CJK}[*>])\n(?={_CJK})")

_BEFORE_UNIT = re.compile(r"(?<=[\d}]) (?=(?:[kMGT]B|m?s|min|nats)\b)")  # a number stands on the line of its unit


@cache
def languages() -> dict[str, str]:
    """Every language there are texts in, by its code, with its name in itself."""
    return LANGUAGES | {code: str(tables.get("name", code)) for code, tables in further().items()}


@cache
def further() -> dict[str, dict[str, Any]]:
    """The languages that need not be complete: code -> what its file holds."""
    return {path.stem: tomllib.loads(path.read_text(encoding="utf-8")) for path in sorted(FURTHER.glob("*.toml"))}


@cache
def load(chapter: str) -> dict[str, dict[str, str]]:
    """All texts of a chapter: key -> language -> text. Tables may be nested; their keys are joined with dots.

    Every text is there in LANGUAGES; in a further language, where its file has one under the same key.
    A line break between two Chinese characters is taken out: Markdown would show it as a space. None comes between a
    number and its unit.
    """
    with (FOLDER / f"{chapter}.toml").open("rb") as file:
        texts = dict(_texts(tomllib.load(file)))
    for code, tables in further().items():
        for key, text in leaves(tables.get(chapter, {})):
            if key in texts:
                texts[key][code] = text
    return texts


def _texts(table: dict[str, Any]) -> Iterator[tuple[str, dict[str, str]]]:
    by_language: dict[str, dict[str, str]] = {}
    for path, text in leaves(table):
        key, _, lang = path.rpartition(".")
        by_language.setdefault(key, {})[lang] = _BEFORE_UNIT.sub("\N{NO-BREAK SPACE}", _BROKEN_LINE.sub("", text))
    for key, texts in by_language.items():
        if set(texts) != set(LANGUAGES):
            raise ValueError(f"{key}: a text needs both languages, {' and '.join(LANGUAGES)}")
        yield key, texts


def leaves(table: dict[str, Any], path: str = "") -> Iterator[tuple[str, str]]:
    """(key, text) for every text of a table and of those in it; a key is the names on the way, joined with dots. What
    stands there as a list is not said in any language."""
    for key, value in table.items():
        if isinstance(value, dict):
            yield from leaves(value, f"{path}{key}.")
        elif not isinstance(value, list):
            yield f"{path}{key}", str(value)


def set_off(value: object) -> str:
    """A value as HTML, to be filled into a text that goes through `in_its_tongue`."""
    return f"\ue000{escape(str(value).translate(_NO_BOUNDS))}\ue001"


def in_its_tongue(text: str, lang: str, explained: Callable[[str], str] = lambda _: "") -> str:
    """Markdown in which the words of a value that was set off say so in HTML where they are Chinese on another page, or
    of letters on a Chinese one; in code and formulas they are not words. What is of one language altogether, from one
    tag to the next, `assets/access.js` marks by itself. Words that can be `explained` are, as HTML."""
    words = _LATIN if lang == "zh" else _WORDS

    def marked(run: re.Match[str]) -> str:
        is_name = len(run[0]) == 1 and run[0].isascii()  # of a number or a place: x, i
        foreign = "zh" if is_han(run[0]) else "en"
        return explained(run[0]) or (
            run[0] if is_name or foreign == lang else f'<span lang="{foreign}">{run[0]}</span>'
        )

    def said(found: re.Match[str]) -> str:
        unspoken, value = found.groups()
        return unspoken if value is None else words.sub(marked, value)

    return _VALUE_OR_CODE.sub(said, text).translate(_NO_BOUNDS)


def is_han(word: str) -> bool:
    """Whether a word is written in Chinese characters."""
    return bool(_HAN.match(word))


class Typed(str):
    """What a reader typed. In a text it stands letter for letter, whatever it would mean as markdown."""

    __slots__ = ()

    def as_markdown(self) -> str:
        """Code, between more backticks than it has in a row; signs that only turn or hide others become visible."""
        shown = "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in self)
        fence = "`" * (1 + max(map(len, re.findall("`+", shown)), default=0))
        return f"{fence} {shown} {fence}"


def blanks(text: str) -> set[str]:
    return set(_BLANK.findall(text))


@dataclass(frozen=True)
class Words:
    """The words of one chapter in one language: `say("size", value=3)`."""

    chapter: str
    lang: str

    def __call__(self, key: str, **values: object) -> str:
        """The text under `key` with its blanks filled, in English where the language has none.

        KeyError if there is no such text, or a blank's value is missing.
        """
        return _fill(without_terms(self._text(key), self.lang), values)

    def explained(self, key: str, **values: object) -> str:
        """The same with its terms as HTML: each says what it means to who points at it, or comes to it by keyboard."""
        place = f"term-{self.chapter}-{key.replace('.', '-')}"
        told = _TERM.sub(lambda term: _explained(term, self.lang, f"{place}-{term.start()}"), self._text(key))
        return _fill(told, values)

    def _text(self, key: str) -> str:
        texts = load(self.chapter)[key]
        return texts.get(self.lang) or texts["en"]

    def __contains__(self, key: str) -> bool:
        return key in load(self.chapter)


def without_terms(text: str, lang: str) -> str:
    """A text in which the terms of the glossary are words like others."""
    return _TERM.sub(lambda term: term[2] or Words(TERMS, lang)(f"{term[1]}.name"), text) if "[[" in text else text


def _explained(term: re.Match[str], lang: str, id_: str) -> str:
    """A term, and after it what a page shows on demand: its name in both languages, and what it means."""
    say, names = Words(TERMS, lang), load(TERMS)[f"{term[1]}.name"]
    name, tongue = say(f"{term[1]}.name"), "en" if lang == "zh" else "zh"
    counterpart = f' <i lang="{tongue}">{names[tongue]}</i>' if names[tongue] != name else ""
    told = f"<b>{name}</b>{counterpart}<br>{say(f'{term[1]}.text')}"
    shown = f'<dfn class="term" tabindex="0" aria-describedby="{id_}">{term[2] or name}</dfn>'
    return f'{shown}<span class="term-told" role="tooltip" id="{id_}">{told}</span>'


def _fill(text: str, values: Mapping[str, object]) -> str:
    return _BLANK.sub(lambda blank: _filled(values[blank[1]]), text) if "{{" in text else text


def _filled(value: object) -> str:
    return value.as_markdown() if isinstance(value, Typed) else str(value)
