"""A drawing of our own on the page: a folder of `assets` as a component of Streamlit, whose script is a file that the
browser fetches once."""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, NamedTuple

import streamlit as st

from ui import state
from ui.browser_files import PACKAGE, BrowserFile
from ui.components import posters
from ui.script import ASSETS, script


class ComponentSource(NamedTuple):
    html: str
    css: str
    program: BrowserFile


POSTERS = ("story", "map")  # the components that a page can open with


@cache
def source(name: str) -> ComponentSource:
    folder = ASSETS / name
    html, css = ((folder / f"{name}.{kind}").read_text(encoding="utf-8") for kind in ("html", "css"))
    return ComponentSource(html, css, BrowserFile(name, ".js", script(folder / f"{name}.js")))


def component(name: str) -> Callable[..., Any]:
    """What mounts the markup, the styles and the script in `assets/<name>`."""
    html, css, program = source(name)

    @cache
    def renderer() -> Callable[..., Any]:
        return st.components.v2.component(
            f"{PACKAGE}.{name}", html=html, css=css, js=program.name, isolate_styles=False
        )

    def mount(**given: Any) -> Any:
        program.offer()
        if name in POSTERS:
            posters.note(name, given["data"][0])
        return renderer()(**given)

    return mount


@st.cache_resource(scope="session", show_spinner=False)
def heard() -> dict[str, int]:
    """By the key of a component that numbers what it tells: the last number that was heard of it in this session."""
    return {}


def hearing(key: str, event: str, act: Callable[[Any], object]) -> Callable[[], None]:
    """A callback of the component with this key: calls `act` with what the reader has done, as the browser says it."""

    def on_event() -> None:
        act(state.picked(key).get(event))

    return on_event


def numbered(
    key: str, event: str, about: tuple[str, str], part: str, act: Callable[[object], object] | None
) -> Callable[[], None]:
    """The same of one that numbers what it tells, and says what that is `about`, a name and a value: with anything else
    nothing is done, else `act` is called with the `part` that is told, which may be anything."""

    def on_numbered(said: object) -> None:
        if isinstance(said, Mapping) and said.get(about[0]) == about[1] and type(said.get("number")) is int and act:
            heard()[key] = said["number"]
            act(said.get(part))

    return hearing(key, event, on_numbered)
