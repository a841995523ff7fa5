"""The app's stylesheets and scripts, for screen and paper, which every page loads, and what a lecture adds to them."""

import json
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

import streamlit as st

from ui.browser_files import BrowserFile
from ui.frame import keys, search
from ui.script import ASSETS, script
from ui.text import Words

SHEETS, SCRIPTS = (
    ("style.css", "words.css", "path.css", "search.css", "keys.css", "room.css", "access.css", "print.css"),
    ("page.js", "search.js", "keys.js", "access.js", "print.js"),
)
LECTURE_SHEETS, LECTURE_SCRIPTS = ("lecture.css", "stop.css"), ("lecture.js", "presenter.js")
SLIDE_SHEETS = ("slide.css",)  # a page of slides, and below it the page that makes them
SLIDES_SHEETS, SLIDES_SCRIPTS = ("slides.css",), ("slides.js",)
EMBEDDED_SHEETS = ("embed.css",)
# What Streamlit names in English alone
NAMED = ["sidebar", "collapse", "expand", "main_menu", "heading", "help", "options", "svg", "fullscreen"]
NAMED += ["shortcut", "close", "clear", "less", "more"]


def _style(sheets: tuple[str, ...]) -> str:
    return "".join((ASSETS / name).read_text(encoding="utf-8") for name in sheets)


def _program(scripts: tuple[str, ...]) -> str:
    return "".join(f"(() => {{\n{script(ASSETS / name)}}})();\n" for name in scripts)  # it may run again


def _fonts() -> str:
    """Those of titles, stressed words and code: Streamlit's own are eight times as large."""
    faces = (("Serif", "serif", "600"), ("Sans", "italic", "400 600; font-style: italic"), ("Mono", "mono", "400 600"))
    return "".join(
        f'@font-face {{font-family: "Glassformer {name}"; font-weight: {looks};'
        f"src: url(data:font/woff2;base64,{b64encode((ASSETS / 'fonts' / f'{file}.woff2').read_bytes()).decode()})}}\n"
        for name, file, looks in faces
    )


SHEET, PROGRAM = BrowserFile("page", ".css", _fonts() + _style(SHEETS)), BrowserFile("page", ".js", _program(SCRIPTS))


@cache
def _page(lang: str, searched: bool) -> str:
    """What loads stylesheet and program, and tells the program what the page says."""
    told = _spoken(lang) + _call("glassformerKeys", keys.told(lang)) + _found(lang) * searched
    called = f"load({json.dumps(SHEET.address)}, {json.dumps(PROGRAM.address)}, () => {{{told}}});"
    return f"<script>(() => {{\n{script(ASSETS / 'loader.js')}{called}\n}})();</script>"


@cache
def _lecture(slide: bool) -> str:
    if slide:
        return f"<style>{_style((*LECTURE_SHEETS, *SLIDE_SHEETS))}</style><i></i>"
    return f"<style>{_style(LECTURE_SHEETS)}</style><script>{_program(LECTURE_SCRIPTS)}</script>"


@cache
def _slides() -> str:
    return f"<style>{_style(SLIDES_SHEETS)}</style><script>{_program(SLIDES_SCRIPTS)}</script>"


def _spoken(lang: str) -> str:
    """Tell the script the page's language, and what it puts into words."""
    say, english = Words("shell", lang), Words("shell", "en")
    named = {english(f"page.named.{name}"): say(f"page.named.{name}") for name in NAMED} if lang != "en" else {}
    words = {name: say(f"page.{name}") for name in ("skip", "skip_to_text")} | {"named": named}
    return _call("glassformerSpeaks", lang, words)


def _found(lang: str) -> str:
    """Tell the script where the file of what can be found is, and its words."""
    say = Words("shell", lang)
    words = {name: say(f"search.{name}") for name in search.SAID}
    return _call("glassformerSearches", search.entries_file(lang).address, words)


def _call(function: str, *parts: object) -> str:
    told = (json.dumps(part, ensure_ascii=False).replace("<", r"\u003c") for part in parts)
    return f"{function}({', '.join(told)});"


@dataclass(frozen=True)
class _Markup:
    """An object that has HTML goes to the page as it is; a text Streamlit would search from end to end in every run."""

    text: str

    def _repr_html_(self) -> str:
        return self.text


def apply_style(lang: str = "en", *, searched: bool = True) -> None:
    """Dress the page, and say in which language it is; a page that is `searched` can look for all that there is."""
    for file in (SHEET, PROGRAM, *[search.entries_file(lang)] * searched):
        file.offer()
    st.html(_Markup(_page(lang, searched)), unsafe_allow_javascript=True)


def apply_lecture_style(*, slide: bool = False) -> None:
    """Of the wall, or of a page of slides, where there is nothing to press."""
    st.html(_Markup(_lecture(slide)), unsafe_allow_javascript=True)


def apply_slides_style() -> None:
    """Of a page from which a lesson is saved as slides."""
    st.html(_Markup(_slides()), unsafe_allow_javascript=True)


def apply_embedded_style() -> None:
    st.html(f"<style>{_style(EMBEDDED_SHEETS)}</style>")


def say_within(selector: str, words: Mapping[str, str]) -> None:
    """Give the sheet these words, as var(--name), for what Streamlit says there in English in every language."""
    said = (f"--{name}: {json.dumps(text, ensure_ascii=False)};" for name, text in words.items())
    st.html(f"<style>{selector} {{{''.join(said)}}}</style><i></i>")
