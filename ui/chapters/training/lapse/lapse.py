"""The time-lapse of a run that rests: told from its beginning, or standing at the moment that is looked at."""

from collections.abc import Callable, Hashable
from functools import partial

from transformer_core.training.config import TrainConfig
from transformer_core.training.history import History
from transformer_core.training.probing import FOLLOWED
from ui.chapters.training.lapse.numbers import bars, curve, dial
from ui.chapters.training.lapse.seen import attention, embeddings, sentences
from ui.chapters.training.lapse.values import NARROW, WIDE, LapseValues
from ui.chapters.training.recipe import END, ShownRunSettings
from ui.chapters.training.values import about
from ui.components.story import put_away
from ui.figures.actors import Beat, Stage
from ui.frame.fragment import run_page
from ui.inputs.gloss import glosses_for
from ui.sections import AnyChapter, Chapter
from ui.sections.scene import Told
from ui.sections.story import Lapse, Scene, tell_lapse

SECONDS, SLOWEST = 8.0, 0.4  # of all glides, and of one, at most
PARTS = (curve, dial, sentences, attention, bars, embeddings)
KEY = "training.at"


def _told(values: LapseValues, stage: Stage) -> Told:
    places = WIDE if stage.wide else NARROW
    parts = [part(values, places) for part in PARTS]
    config, history = values.config, values.history
    steps = history.probe_step
    glide = min(SLOWEST, SECONDS / max(1, len(steps) - 1))
    beats = tuple(
        Beat(tuple(actor for part in parts for actor in part[moment]), 0.6 if moment == 0 else glide, 0.0)
        for moment in range(len(steps))
    )
    origin = f"History · {len(steps)} / {len(history.step)} · {FOLLOWED}[0, 0] · seed {config.seed}"
    return Told(beats, origin, about(values.say, config, history, int(steps[-1])))


SCENE: Scene[LapseValues] = Scene("replay", _told)


def can_lapse(history: History | None) -> bool:
    return history is not None and len(history.probe_step) > 1


def time_lapse(chapter: Chapter[ShownRunSettings], config: TrainConfig, history: History, at: int) -> None:
    """Of all that the run has recorded; where the reader comes to stand, the step becomes the one that is looked at."""
    stops = history.probe_step.tolist()
    lapse_of(
        chapter,
        config,
        history,
        what=(config, tuple(stops), float(history.loss[-1])),  # the same to the bit, whoever trained it
        key=KEY,
        moment=stops.index(at),
        play=chapter.settings.at == END,
        fixed=chapter.hides("at"),
        on_moment=lambda moment: chapter.put("at", END if moment == len(stops) - 1 else stops[moment]),
        on_close=partial(turn, chapter),
    )


def lapse_of(
    chapter: AnyChapter,
    config: TrainConfig,
    history: History,
    *,
    what: tuple[Hashable, ...],
    key: str,
    moment: int | None,
    play: bool,
    fixed: bool,
    on_moment: Callable[[int], object],
    on_close: Callable[[], object],
) -> None:
    """As `tell_lapse` tells it; `what` it is, no other history may be called."""
    tell_lapse(
        chapter,
        Lapse(SCENE, (WIDE.stage, NARROW.stage), history.probe_step.tolist(), what),
        lambda: LapseValues(chapter.say, config, history, glosses_for(chapter.lang, *config.vocabularies)),
        key=key,
        moment=moment,
        play=play,
        fixed=fixed,
        words={"take": chapter.say("replay.close"), "place": chapter.say("at")}
        | {name: chapter.say(f"lapse.{name}") for name in ("name", "moment", "keys")},
        on_moment=on_moment,
        on_close=on_close,
    )


def turn(chapter: Chapter[ShownRunSettings]) -> None:
    chapter.put("replay", not chapter.settings.replay)
    run_page()


def closed() -> None:
    """It is not on the page: where it is opened again it begins anew."""
    put_away(KEY)
