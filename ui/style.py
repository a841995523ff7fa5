"""The app's one stylesheet, put on every page."""

from functools import cache
from pathlib import Path

import streamlit as st

SHEET = Path(__file__).parents[1] / "assets" / "style.css"


@cache
def _sheet() -> str:
    return f"<style>{SHEET.read_text(encoding='utf-8')}</style>"


def apply_style() -> None:
    st.html(_sheet())
