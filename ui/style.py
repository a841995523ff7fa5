"""The app's stylesheet and its one script, put on every page, and what a lecture adds to them."""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import streamlit as st

ASSETS = Path(__file__).parents[1] / "assets"
SHEET = ASSETS / "style.css"
LECTURE_SHEET = ASSETS / "lecture.css"
SCRIPT = ASSETS / "page.js"


@cache
def _html() -> str:
    return f"<style>{SHEET.read_text(encoding='utf-8')}</style><script>{SCRIPT.read_text(encoding='utf-8')}</script>"


class _Dress:
    """An object that has HTML goes to the page as it is; a text Streamlit would search from end to end in every run."""

    def _repr_html_(self) -> str:
        return _html()


def apply_style() -> None:
    st.html(_Dress(), unsafe_allow_javascript=True)


def apply_lecture_style() -> None:
    st.html(LECTURE_SHEET)


def say_within(selector: str, words: Mapping[str, str]) -> None:
    """Give the sheet these words, as var(--name), for what Streamlit says there in English in every language."""
    said = (f"--{name}: {json.dumps(text, ensure_ascii=False)};" for name, text in words.items())
    st.html(f"<style>{selector} {{{''.join(said)}}}</style><i></i>")
