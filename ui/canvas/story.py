"""A story on the page: mounts the stage, and tells which scene the reader has gone to, or has taken over."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypedDict

import streamlit as st

from ui import address
from ui.canvas.component import component, hearing
from ui.figures.actors import BeatMessage, colors

_mount = component("story")
Kind = Literal["wide", "narrow"]

FROM_THE_FIRST = -1  # instead of a moment


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


def lapse(
    scene: str,
    stops: Sequence[int],
    *,
    key: str,
    moment: int | None,
    play: bool,
    fixed: bool,
    sizes: Mapping[str, tuple[float, float]],
    words: Mapping[str, str],
    on_moment: Callable[[int], object],
    on_take: Callable[[], object],
) -> None:
    """Tell one scene, a JSON list with its SceneMessage, with a slider over its moments, which are called by `stops`.

    It stands at the moment with this index, wherever the reader has gone if there is none; if it is new and is to
    `play`, it goes from the first one to the last. `on_moment` is called with the index of another at which the reader
    has come to stand; a `fixed` one is played, but can be moved to none.
    """
    cue = _cues().get(key)
    if cue is None:
        to = len(stops) - 1 if moment is None else moment
        cue = _cues()[key] = _Cue(FROM_THE_FIRST if play else to, 1, to)
    elif moment is not None:
        cue.follow(moment)

    def gone(event: object) -> None:
        if isinstance(event, int) and not isinstance(event, bool) and 0 <= event < len(stops) and not fixed:
            known = _cues().get(key)
            if known is not None:
                known.there = event
            on_moment(event)

    told = {"stops": list(stops), "fixed": fixed, "scenes": scene, "cue": cue.scene, "number": cue.number}
    _mount(
        key=key,
        data=[told | {"sizes": sizes, "words": words, "colors": colors()}],
        on_moment_change=hearing(key, "moment", gone),
        on_take_change=hearing(key, "take", lambda _: on_take()),
    )


def put_away(key: str) -> None:
    """What has been closed begins anew where it is opened again."""
    _cues().pop(key, None)
