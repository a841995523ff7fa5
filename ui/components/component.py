"""A drawing of our own on the page: a folder of `assets` as a component of Streamlit.

Its script is a file that the browser fetches once. Streamlit serves files of installed packages that declare them; here
they are declared to it, for the app is run as it is.
"""

import atexit
import hashlib
import shutil
import tempfile
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st
from streamlit.components.v2.component_manager import BidiComponentManager
from streamlit.components.v2.get_bidi_component_manager import get_bidi_component_manager
from streamlit.components.v2.manifest_scanner import ComponentConfig, ComponentManifest

from ui import state
from ui.script import ASSETS, script

PACKAGE = "glassformer"
served: dict[str, Path] = {}  # by its address: the script of each component


def component(name: str) -> Callable[..., Any]:
    """What mounts the markup, the styles and the script in `assets/<name>`."""
    folder = ASSETS / name
    html, css = ((folder / f"{name}.{kind}").read_text(encoding="utf-8") for kind in ("html", "css"))
    program = script(folder / f"{name}.js").encode()
    called = f"{PACKAGE}.{name}"

    def file() -> Path:
        """Its name changes with its content. Written again where a machine has cleared it away meanwhile."""
        path = _folder() / name / f"{hashlib.sha256(program).hexdigest()[:12]}.js"
        if not path.exists():
            path.parent.mkdir(exist_ok=True, parents=True)
            path.write_bytes(program)
        return path

    @cache
    def renderer() -> Callable[..., Any]:
        return st.components.v2.component(called, html=html, css=css, js=file().name, isolate_styles=False)

    def mount(**given: Any) -> Any:
        file()
        _declare(get_bidi_component_manager(), name)
        return renderer()(**given)

    served[f"/_stcore/bidi-components/{called}/{file().name}"] = file()
    return mount


@cache
def _folder() -> Path:
    folder = Path(tempfile.mkdtemp(prefix=f"{PACKAGE}-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _declare(manager: BidiComponentManager, name: str) -> None:
    """To a Streamlit that does not know it yet."""
    if manager.get_component_path(f"{PACKAGE}.{name}") is None:
        manager.register_from_manifest(ComponentManifest(PACKAGE, "", [ComponentConfig(name, name)]), _folder())


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
