"""The app's stylesheet and script, put on every page, and what a lecture adds to them."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import streamlit as st

ASSETS = Path(__file__).parents[1] / "assets"
SHEET = ASSETS / "style.css"
LECTURE_SHEET = ASSETS / "lecture.css"
SCRIPT = ASSETS / "page.js"
LECTURE_SCRIPT = ASSETS / "lecture.js"


@cache
def _html(sheet: Path, script: Path) -> str:
    return f"<style>{sheet.read_text(encoding='utf-8')}</style><script>{script.read_text(encoding='utf-8')}</script>"


@dataclass(frozen=True)
class _Dress:
    """An object that has HTML goes to the page as it is; a text Streamlit would search from end to end in every run."""

    sheet: Path
    script: Path

    def _repr_html_(self) -> str:
        return _html(self.sheet, self.script)


def apply_style() -> None:
    st.html(_Dress(SHEET, SCRIPT), unsafe_allow_javascript=True)


def apply_lecture_style() -> None:
    st.html(_Dress(LECTURE_SHEET, LECTURE_SCRIPT), unsafe_allow_javascript=True)


def say_within(selector: str, words: Mapping[str, str]) -> None:
    """Give the sheet these words, as var(--name), for what Streamlit says there in English in every language."""
    said = (f"--{name}: {json.dumps(text, ensure_ascii=False)};" for name, text in words.items())
    st.html(f"<style>{selector} {{{''.join(said)}}}</style><i></i>")
