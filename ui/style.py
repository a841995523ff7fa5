"""The app's one stylesheet and its one script, put on every page."""

from functools import cache
from pathlib import Path

import streamlit as st

ASSETS = Path(__file__).parents[1] / "assets"
SHEET = ASSETS / "style.css"
SCRIPT = ASSETS / "page.js"


@cache
def _dress() -> str:
    return f"<style>{SHEET.read_text(encoding='utf-8')}</style><script>{SCRIPT.read_text(encoding='utf-8')}</script>"


def apply_style() -> None:
    st.html(_dress(), unsafe_allow_javascript=True)
