"""A drawing of our own on the page: a folder of `assets` as a component of Streamlit."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import streamlit as st

ASSETS = Path(__file__).parents[1] / "assets"


def component(name: str) -> Callable[..., Any]:
    """What mounts the markup, the styles and the script in `assets/<name>`."""
    html, css, js = ((ASSETS / name / f"{name}.{kind}").read_text(encoding="utf-8") for kind in ("html", "css", "js"))
    return st.components.v2.component(name, html=html, css=css, js=js, isolate_styles=False)


def noted() -> None:
    """Streamlit keeps a value only if a callback is named; the value itself is read from the result."""
