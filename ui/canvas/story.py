"""A story on the page: mounts the stage, and tells which scene the reader has gone to, or has taken over."""

from collections.abc import Callable, Mapping, Sequence
from typing import TypedDict

import streamlit as st

from ui.canvas.component import component, hearing
from ui.figures.stage import BeatMessage, colors

_mount = component("story")


class SceneMessage(TypedDict):
    """`sentence` is markup; `beats` are those of the wide stage and of the narrow one."""

    sentence: str
    origin: str
    wide: list[BeatMessage]
    narrow: list[BeatMessage]
    asks: bool


@st.cache_resource(scope="session", show_spinner=False)
def _heard() -> dict[str, int]:
    """The number of the last scene of each story that the reader has gone to."""
    return {}


def story(
    scenes: Sequence[SceneMessage],
    *,
    key: str,
    scene: int,
    sizes: Mapping[str, tuple[float, float]],
    words: Mapping[str, str],
    on_scene: Callable[[int], object],
    on_take: Callable[[int], object],
) -> None:
    """Tell `scenes`, from the one with this index on; `on_scene` is called with the index of another that the reader
    has gone to, `on_take` with that of the one to take over."""
    known = _heard()

    def gone(event: object) -> None:
        match event:
            case {"scene": int(index), "number": int(number)} if 0 <= index < len(scenes):
                known[key] = number
                on_scene(index)

    def taken(event: object) -> None:
        if isinstance(event, int) and not isinstance(event, bool) and 0 <= event < len(scenes):
            on_take(event)

    told = {"scenes": scenes, "scene": scene, "heard": known.get(key, 0), "sizes": sizes, "words": words}
    _mount(
        key=key,
        data=[told | {"colors": colors()}],  # in a list: in a dict Streamlit goes in search of data frames
        on_scene_change=hearing(key, "scene", gone),
        on_take_change=hearing(key, "take", taken),
    )
