"""A chapter's story: scenes that tell its idea, each with one sentence, and the way from each to the controls."""

import json
import re
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Generic, TypeVar

import streamlit as st

from ui import state
from ui.components.story import Kind, SceneMessage, Scenes, begin
from ui.components.story import lapse as mount_lapse
from ui.components.story import story as mount
from ui.figures.actors import NARROW, WIDE, Beat, Stage, message
from ui.frame.chapter import Chapter
from ui.frame.fragment import run_page
from ui.model.recorded import texts_cached, texts_made
from ui.sections.caption import said as origin_said
from ui.sections.inquiry import Inquiry, inquire
from ui.sections.section import Section
from ui.sections.sequence_fields import typed
from ui.settings.fields import Settings, by_click, text, whole
from ui.settings.frame import Frame
from ui.text import in_its_tongue, set_off

V = TypeVar("V")

_STRESSED = re.compile(r"(\*\*?)([^*]+)\1")


@dataclass(frozen=True)
class Told:
    """A scene as it is for the model and the sentence at hand: what moves, the values of its sentence's blanks, the
    tensors that it shows, and the settings at which the reader takes over, written as a link writes them.

    Where what the sentence says does not hold, `words` names another one, `story.<scene>.<words>`.
    """

    beats: tuple[Beat, ...]
    origin: str
    said: Mapping[str, object] = field(default_factory=dict)
    settings: Mapping[str, str] = field(default_factory=dict)
    words: str = ""


@dataclass(frozen=True)
class Scene(Generic[V]):
    """`tell` makes it of the chapter's values for a stage; its sentence is the text `story.<name>`. What it `asks` of
    the same values is asked before the next scene."""

    name: str
    tell: Callable[[V, Stage], Told]
    asks: Inquiry[V] | None = None


class StorySettings(Settings):
    scene: int = by_click(whole(0, 0, 999))  # which is told, counted from 1; none at 0
    explored: int = by_click(whole(0, 0, 999))  # which one the reader has left the story at, and stays on the stage
    follows: str = by_click(text("", 40))  # the section that this scene opens, and that stands next below it


@dataclass(frozen=True)
class Story(Generic[V]):
    """The scenes in their order, and what they are made of: None where there is nothing to tell them of. One that is
    `fixed` is the same whatever the reader has set, but for the languages of page and model. The end of the scene
    `poster`, by its index, says what the story is about."""

    values: Callable[[Chapter[Any]], V | None]
    scenes: tuple[Scene[V], ...]
    fixed: bool = False
    poster: int = 0

    def tell(self, chapter: Chapter[Any]) -> list[tuple[Scene[V], Told, Told]]:
        values = self.values(chapter)
        if values is None:
            return []
        return [(scene, scene.tell(values, WIDE), scene.tell(values, NARROW)) for scene in self.scenes]

    def section(self) -> Section[StorySettings]:
        asked = tuple(scene.asks for scene in self.scenes if scene.asks)
        return Section(
            "story",
            partial(_draw, self),
            "story",
            inquires=asked,
            step=self._step,
            settings=StorySettings,
            reads=(Frame,),
        )

    def _step(self, chapter: Chapter[Any], by: int) -> bool:
        to = _at(chapter, len(self.scenes)) + by
        there = 0 <= to < len(self.scenes)
        if there:
            chapter.put("scene", to + 1)
        return there


def story(
    values: Callable[[Chapter[Any]], V | None],
    scenes: Sequence[Callable[[V, Stage], Told]],
    asks: Mapping[str, Inquiry[V]],
    *,
    poster: Callable[[V, Stage], Told] | None = None,
    fixed: bool = False,
) -> Section[StorySettings]:
    """The section that tells of these values. A scene has its function's name, by which `asks` calls those that ask
    before the next one. The story is opened at the end of the scene that is its `poster`: the first one, if none is."""
    made = tuple(Scene(tell.__name__, tell, asks.get(tell.__name__)) for tell in scenes)
    return Story(values, made, fixed, scenes.index(poster) if poster else 0).section()


def _at(chapter: Chapter[StorySettings], count: int) -> int:
    """The index of the scene that is told: of a link that counts further, the last one."""
    return max(0, min(chapter.settings.scene, count) - 1)


def _draw(story: Story[Any], chapter: Chapter[StorySettings]) -> None:
    shell, frame = chapter.shell, chapter.frame
    number, count = chapter.settings.scene, len(story.scenes)
    alone = frame.present or frame.only == "story"
    explored = 0 if number or alone else chapter.settings.explored
    if not number and not alone and not explored:
        with st.container(key="story-closed"):
            st.button(
                shell("story.open", count=count), icon=":material/play_circle:", type="tertiary", key="story.open",
                on_click=_open, args=(chapter,),
            )  # fmt: skip
        return
    scenes, settings = _told(story, chapter)
    if not scenes.count:
        st.info(shell("story.nothing"))
        return
    if number > count:
        st.info(shell("story.beyond", number=number, count=count))
    at = min(explored, count) - 1 if explored else _at(chapter, count)
    with st.container(key="story"):
        mount(
            scenes,
            key=_key(chapter),
            scene=at,
            stays=bool(explored),
            sizes=SIZES,
            words={name: shell(f"story.{name}") for name in WORDS} | {"again": shell("story.open", count=count)},
            on_scene=partial(_go, chapter),
            on_take=lambda *at: _take(chapter, json.loads(settings()), *at),
            on_again=partial(_open, chapter),
        )
        asks = story.scenes[at].asks
        if asks and not explored:
            inquire(chapter, asks, partial(story.values, chapter))


def _told(story: Story[Any], chapter: Chapter[StorySettings]) -> tuple[Scenes, Callable[[], str]]:
    """The scenes for a browser, and as JSON the settings of each at its beats; kept for all readers of the same,
    whichever is told."""
    read = chapter.frame.src, *(typed(chapter, name) for name in ("src", "tgt"))  # what is read, and in which script
    what = ("story", chapter.name, chapter.lang, chapter.at_hand.beside_english if story.fixed else read)

    def write() -> list[str]:
        told = story.tell(chapter)
        whole = [_scene(chapter, *one) for one in told]
        known = [{**one, **_lengths(*beats)} for one, (_, *beats) in zip(whole, told)]
        return [
            json.dumps([_settings(*one) for _, *one in told]),
            *(json.dumps(one, ensure_ascii=False) for one in (*known, *whole)),
        ]

    first, *texts = texts_cached(what, write) if story.fixed else texts_made(chapter.at_hand, what, write)
    count = len(texts) // 2

    def of(whole: Collection[int]) -> str:
        told = (texts[count + at if at in whole else at]() for at in range(count))
        return f"[{','.join(told)}]"

    name = what if story.fixed else (chapter.at_hand, what)
    poster = 0 if chapter.frame.present else story.poster  # a lecture's next step leads on from its first scene
    return Scenes(f"{hash(name):x}", count, of, poster), first


def _lengths(wide: Told, narrow: Told) -> dict[Kind, int]:
    """How many moments a scene has: known before its beats are sent, as its sentence is, which wants its room."""
    return {"wide": len(wide.beats), "narrow": len(narrow.beats)}


@dataclass(frozen=True)
class Lapse(Generic[V]):
    """A scene that is no chapter's story but goes through time: a slider over its moments, which are called by `stops`,
    is followed on the client. `what` it is made of, by which it is made once for all readers."""

    scene: Scene[V]
    stages: tuple[Stage, Stage]  # wide and narrow
    stops: Sequence[int]
    what: tuple[Hashable, ...]


def tell_lapse(
    chapter: Chapter[Any],
    lapse: Lapse[V],
    values: Callable[[], V],
    *,
    key: str,
    moment: int | None,
    play: bool,
    fixed: bool,
    words: Mapping[str, str],
    on_moment: Callable[[int], object],
    on_close: Callable[[], object],
) -> None:
    """Tell it from its first moment on, or stand at one. Of the `words`, "take" are those of the button that closes it,
    "place" name its slider, and "moment" say where that stands, # being the stop."""

    def write() -> list[str]:
        told = (lapse.scene.tell(values(), stage) for stage in lapse.stages)
        return [json.dumps([_scene(chapter, lapse.scene, *told)], ensure_ascii=False)]

    shell = chapter.shell
    (text,) = texts_cached(("lapse", chapter.lang, *lapse.what), write)
    mount_lapse(
        text(),
        lapse.stops,
        key=key,
        moment=moment,
        play=play,
        fixed=fixed,
        sizes={name: (stage.width, stage.height) for name, stage in zip(("wide", "narrow"), lapse.stages)},
        words={name: shell(f"story.{name}") for name in WORDS} | dict(words),
        on_moment=on_moment,
        on_take=on_close,
    )


def _settings(wide: Told, narrow: Told) -> dict[Kind, list[dict[str, str]]]:
    """What a link says of each beat."""
    told: dict[Kind, Told] = {"wide": wide, "narrow": narrow}
    return {kind: [{**one.settings, **beat.settings} for beat in one.beats] for kind, one in told.items()}


SIZES = {"wide": (WIDE.width, WIDE.height), "narrow": (NARROW.width, NARROW.height)}
WORDS = (
    "name", "back", "play", "pause", "on", "speed", "take", "place", "keys",
    "film", "film_kind", "film_stop", "film_none", "film_later", "film_hidden", "film_stopped", "film_saved",
)  # fmt: skip


def _scene(chapter: Chapter[Any], scene: Scene[Any], wide: Told, narrow: Told) -> SceneMessage:
    return {
        "sentence": sentence(chapter, scene, wide),
        "origin": origin_said(wide.origin, chapter.lang),
        "wide": message(wide.beats),
        "narrow": message(narrow.beats),
        "asks": scene.asks is not None,
    }


def sentence(chapter: Chapter[Any], scene: Scene[Any], told: Told) -> str:
    """What a scene says, as markup."""
    key = f"story.{scene.name}" + (f".{told.words}" if told.words else "")
    said = chapter.say(key, **{name: set_off(value) for name, value in told.said.items()})
    return _STRESSED.sub(_stressed, in_its_tongue(said, chapter.lang, chapter.explained))


def _stressed(found: re.Match[str]) -> str:
    tag = "em" if found[1] == "*" else "strong"  # Chinese has no italics
    return f"<{tag}>{found[2]}</{tag}>"


def _key(chapter: Chapter[Any]) -> str:
    return f"{chapter.name}.story"


def _open(chapter: Chapter[StorySettings]) -> None:
    state.give_back()
    chapter.put("scene", 1)
    chapter.put("explored", 0)
    begin(_key(chapter))
    run_page()


def _go(chapter: Chapter[StorySettings], index: int) -> None:
    chapter.put("explored" if chapter.settings.explored else "scene", index + 1)


def _opened(chapter: Chapter[StorySettings], link: Mapping[str, str]) -> str:
    """The folded section that a link opens, by its name or by a setting of its own; "" if it opens none."""
    named = link.get("open", "").partition(",")[0]
    return named or next((section for section, own in chapter.folds.items() if own & link.keys()), "")


def _take(
    chapter: Chapter[StorySettings],
    settings: Sequence[Mapping[Kind, list[dict[str, str]]]],
    scene: int,
    beat: int,
    stage: Kind,
) -> None:
    """Lend the reader what this beat of a scene shows, which stays on the stage with its sentence."""
    beats = settings[scene][stage]
    link = beats[min(beat, len(beats) - 1)]
    if "src" in link:
        link = {"tgt": "", **link}
    for owner, kind in ((state.FRAME, Frame), (chapter.name, chapter.kind)):
        said = kind.from_query(link)
        for name in kind.kinds():
            if not set(kind.names()[name]).isdisjoint(link):
                state.lend(owner, name, getattr(said, name))
    chapter.put("scene", 0)
    state.lend(chapter.name, "explored", scene + 1)
    state.lend(chapter.name, "follows", _opened(chapter, link))
    run_page()
