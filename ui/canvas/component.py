"""A drawing of our own on the page: a folder of `assets` as a component of Streamlit."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import streamlit as st

from ui import address

ASSETS = Path(__file__).parents[2] / "assets"


def component(name: str, *before: str) -> Callable[..., Any]:
    """What mounts the markup, the styles and the script in `assets/<name>`.

    Streamlit takes one script per component, so the scripts `before` are read as one with it, each building on those
    before it.
    """
    folder = ASSETS / name
    html, css = ((folder / f"{name}.{kind}").read_text(encoding="utf-8") for kind in ("html", "css"))
    js = "\n".join((folder / f"{part}.js").read_text(encoding="utf-8") for part in (*before, name))
    return st.components.v2.component(name, html=html, css=css, js=js, isolate_styles=False)


def noted() -> None:
    """Streamlit keeps a value only if a callback is named; the value itself is read from the result."""


def hearing(key: str, event: str, act: Callable[[Any], object]) -> Callable[[], None]:
    """A callback of the component with this key: calls `act` with what the reader has done, as the browser says it."""

    def heard() -> None:
        act(address.picked(key).get(event))

    return heard
