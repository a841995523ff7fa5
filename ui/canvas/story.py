"""A story on the page: mounts the stage, and tells which scene the reader has gone to, or has taken over."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, TypedDict

import streamlit as st

from ui import address
from ui.canvas.component import component, hearing
from ui.figures.actors import BeatMessage, colors

_mount = component("story")
Kind = Literal["wide", "narrow"]


class SceneMessage(TypedDict):
    """`sentence` is markup; `beats` are those of the wide stage and of the narrow one."""

    sentence: str
    origin: str
    wide: list[BeatMessage]
    narrow: list[BeatMessage]
    asks: bool


@dataclass
class _Cue:
    """Where the browser was told to go last, and where it has gone since, by itself or as told; the cue's number."""

    scene: int = -1
    number: int = 0
    there: int = -1

    def follow(self, scene: int) -> None:
        """The page is at this scene: only where the browser is not does it have to be told. A page that runs as a whole
        may be in a new browser."""
        if scene != self.there or (scene != self.scene and not address.runs_alone()):
            self.scene = self.there = scene
            self.number += 1


@st.cache_resource(scope="session", show_spinner=False)
def _cues() -> dict[str, _Cue]:
    return {}


def story(
    scenes: str,
    count: int,
    *,
    key: str,
    scene: int,
    sizes: Mapping[str, tuple[float, float]],
    words: Mapping[str, str],
    on_scene: Callable[[int], object],
    on_take: Callable[[int, int, Kind], object],
) -> None:
    """Tell `count` scenes, a JSON list of SceneMessage, from the one with this index on; `on_scene` is called with the
    index of another that the reader has gone to, `on_take` with that of the one to take over, of the
    beat that is shown, and on which of its stages.

    What the browser is told stays the same while it leads: Streamlit does not send it again.
    """
    cue = _cues().setdefault(key, _Cue())
    cue.follow(scene)

    def gone(event: object) -> None:
        if isinstance(event, int) and not isinstance(event, bool) and 0 <= event < count:
            cue.there = event
            on_scene(event)

    def taken(event: object) -> None:
        match event:
            case [int(at), int(beat), "wide" | "narrow" as kind] if 0 <= at < count and beat >= 0:
                on_take(at, beat, kind)

    told = {"scenes": scenes, "cue": cue.scene, "number": cue.number, "sizes": sizes, "words": words}
    _mount(
        key=key,
        data=[told | {"colors": colors()}],  # in a list: in a dict Streamlit goes in search of data frames
        on_scene_change=hearing(key, "scene", gone),
        on_take_change=hearing(key, "take", taken),
    )
