"""A drawing of our own on the page: a folder of `assets` as a component of Streamlit."""

from collections.abc import Callable
from typing import Any

import streamlit as st

from ui import address
from ui.script import ASSETS, script


def component(name: str) -> Callable[..., Any]:
    """What mounts the markup, the styles and the script in `assets/<name>`."""
    folder = ASSETS / name
    html, css = ((folder / f"{name}.{kind}").read_text(encoding="utf-8") for kind in ("html", "css"))
    return st.components.v2.component(name, html=html, css=css, js=script(folder / f"{name}.js"), isolate_styles=False)


def noted() -> None:
    """Streamlit keeps a value only if a callback is named; the value itself is read from the result."""


@st.cache_resource(scope="session", show_spinner=False)
def heard() -> dict[str, int]:
    """By the key of a component that numbers what it tells: the last number that was heard of it in this session."""
    return {}


def hearing(key: str, event: str, act: Callable[[Any], object]) -> Callable[[], None]:
    """A callback of the component with this key: calls `act` with what the reader has done, as the browser says it."""

    def told() -> None:
        act(address.picked(key).get(event))

    return told
