"""The app's stylesheets and scripts, for screen and paper, put on every page, and what a lecture adds to them."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

import streamlit as st

from ui.frame import search
from ui.script import ASSETS, script
from ui.text import Words

SHEETS, SCRIPTS = (
    ("style.css", "words.css", "path.css", "search.css", "room.css", "access.css", "print.css"),
    ("page.js", "search.js", "access.js", "print.js"),
)
LECTURE_SHEETS, LECTURE_SCRIPTS = ("lecture.css",), ("lecture.js",)
EMBEDDED_SHEETS = ("embed.css",)
# What Streamlit names in English alone
NAMED = ["sidebar", "collapse", "expand", "main_menu", "heading", "help", "options", "svg", "fullscreen"]
NAMED += ["shortcut", "close", "clear", "less", "more"]


@cache
def _html(sheets: tuple[str, ...], scripts: tuple[str, ...], lang: str, searched: bool) -> str:
    style = "".join((ASSETS / name).read_text(encoding="utf-8") for name in sheets)
    program = "".join(f"(() => {{\n{script(ASSETS / name)}}})();\n" for name in scripts)  # it may run again
    told = _spoken(lang) * bool(lang) + _found(lang) * searched
    return f"<style>{style}</style><script>{program}{told}</script>"


def _spoken(lang: str) -> str:
    """Tell the script the page's language, and what it puts into words."""
    say, english = Words("shell", lang), Words("shell", "en")
    named = {english(f"page.named.{name}"): say(f"page.named.{name}") for name in NAMED} if lang != "en" else {}
    words = {name: say(f"page.{name}") for name in ("skip", "skip_to_text")} | {"named": named}
    return _call("glassformerSpeaks", lang, words)


def _found(lang: str) -> str:
    """Give the script what can be found, and its words."""
    say = Words("shell", lang)
    return _call("glassformerFinds", search.entries(lang), {name: say(f"search.{name}") for name in search.SAID})


def _call(function: str, *parts: object) -> str:
    told = (json.dumps(part, ensure_ascii=False).replace("<", r"\u003c") for part in parts)
    return f"{function}({', '.join(told)});"


@dataclass(frozen=True)
class _Dress:
    """An object that has HTML goes to the page as it is; a text Streamlit would search from end to end in every run."""

    sheets: tuple[str, ...]
    scripts: tuple[str, ...]
    lang: str = ""
    searched: bool = False

    def _repr_html_(self) -> str:
        return _html(self.sheets, self.scripts, self.lang, self.searched)


def apply_style(lang: str = "en", *, searched: bool = True) -> None:
    """Dress the page, and say in which language it is; a page that is `searched` can look for all that there is."""
    st.html(_Dress(SHEETS, SCRIPTS, lang, searched), unsafe_allow_javascript=True)


def apply_lecture_style() -> None:
    st.html(_Dress(LECTURE_SHEETS, LECTURE_SCRIPTS), unsafe_allow_javascript=True)


def apply_embedded_style() -> None:
    st.html(_Dress(EMBEDDED_SHEETS, ()))


def say_within(selector: str, words: Mapping[str, str]) -> None:
    """Give the sheet these words, as var(--name), for what Streamlit says there in English in every language."""
    said = (f"--{name}: {json.dumps(text, ensure_ascii=False)};" for name, text in words.items())
    st.html(f"<style>{selector} {{{''.join(said)}}}</style><i></i>")
