"""A story on the page: mounts the stage, and tells which scene the reader has gone to, or has taken over."""

from collections import deque
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypedDict

import streamlit as st

from ui import state
from ui.components.component import component, hearing
from ui.figures.actors import BeatMessage, colors

_mount = component("story")
Kind = Literal["wide", "narrow"]

FROM_THE_FIRST = -1  # instead of a scene or a moment: played, as who has pressed Play
HELD = 8  # stories that a browser keeps, assets/story/held.js


class SceneMessage(TypedDict):
    """`sentence` is markup; `wide` and `narrow` are the beats on either stage; or how many, if they come later."""

    sentence: str
    origin: str
    wide: list[BeatMessage] | int
    narrow: list[BeatMessage] | int
    asks: bool


@dataclass(frozen=True)
class Scenes:
    """A story's scenes as a message, JSON. Its `name` is another one's wherever they are others. `of` gives the list in
    which these scenes are whole; of the others it has what is known beforehand. Where none is told yet, the end of the
    scene `poster` is seen."""

    name: str
    count: int
    of: Callable[[Collection[int]], str]
    poster: int = 0


@dataclass
class _Cue:
    """Where the browser was told to go last, and where it has gone since, by itself or as told; the cue's number."""

    scene: int = -1
    number: int = 0
    there: int = -1

    def follow(self, scene: int) -> None:
        """The page is at this scene: only where the browser is not does it have to be told. A page that runs as a whole
        may be in a new browser."""
        if scene != self.there or (scene != max(0, self.scene) and not state.runs_alone()):
            self.scene = self.there = scene
            self.number += 1

    def begin(self) -> None:
        self.scene, self.there = FROM_THE_FIRST, 0
        self.number += 1


@st.cache_resource(scope="session", show_spinner=False)
def _cues() -> dict[str, _Cue]:
    return {}


@dataclass
class _Browser:
    """Which stories it should have whole, the latest ones, and the one of which it lacks scenes, as it says itself."""

    has: deque[str] = field(default_factory=lambda: deque(maxlen=HELD))
    lacks: str = ""

    def lack(self, name: object) -> None:
        if isinstance(name, str):
            self.lacks = name

    def news(self, scenes: Scenes, at: int) -> str:
        """What is to be sent of a story whose scene `at` is told: that scene first, with the poster before the story
        begins, and the others once they are asked for; nothing of what it has."""
        if scenes.name == self.lacks:
            self.lacks = ""
            self.has.append(scenes.name)
            return scenes.of(range(scenes.count))
        return "" if scenes.name in self.has else scenes.of({at} if at else {0, scenes.poster})


@st.cache_resource(scope="session", show_spinner=False)
def _browser() -> _Browser:
    return _Browser()


def story(
    scenes: Scenes,
    *,
    key: str,
    scene: int,
    stays: bool,
    sizes: Mapping[str, tuple[float, float]],
    words: Mapping[str, str],
    on_scene: Callable[[int], object],
    on_take: Callable[[int, int, Kind], object],
    on_again: Callable[[], object],
) -> None:
    """Tell `scenes` from the one with this index on; `on_scene` is called with the index of another that the reader has
    gone to, `on_take` with that of the one to take over, of the beat that is shown, and on which of its stages. One
    that was taken over `stays` where it is, and `on_again` is called where the story is to be played once more.

    A browser is sent each story once. It keeps some of them, and asks for what it lacks.
    """
    count, browser = scenes.count, _browser()
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

    told = {"name": scenes.name, "scenes": browser.news(scenes, scene), "cue": cue.scene, "number": cue.number}
    _mount(
        key=key,
        # in a list: in a dict Streamlit goes in search of data frames
        data=[told | {"poster": scenes.poster, "stays": stays, "sizes": sizes, "words": words, "colors": colors()}],
        on_scene_change=hearing(key, "scene", gone),
        on_lacks_change=hearing(key, "lacks", browser.lack),
        on_take_change=hearing(key, "take", taken),
        on_again_change=hearing(key, "again", lambda _: on_again()),
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

    told = {"stops": list(stops), "fixed": fixed, "name": "", "scenes": scene, "cue": cue.scene, "number": cue.number}
    _mount(
        key=key,
        data=[told | {"sizes": sizes, "words": words, "colors": colors()}],
        on_moment_change=hearing(key, "moment", gone),
        on_take_change=hearing(key, "take", lambda _: on_take()),
    )


def begin(key: str) -> None:
    """The story with this key is played from its first scene on, where it is told next."""
    _cues().setdefault(key, _Cue()).begin()


def put_away(key: str) -> None:
    """What has been closed begins anew where it is opened again."""
    _cues().pop(key, None)
