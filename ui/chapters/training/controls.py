"""The task and the other settings of the next run, and whether there can be such a run."""

from functools import partial

import streamlit as st

from transformer_core.tasks import Translation
from transformer_core.training.config import ConfigError, TrainConfig
from ui.chapters.training.pairs import take_pairs
from ui.chapters.training.recipe import AUTO, PAIRS, TASKS, Recipe, config_of, settings_of
from ui.figures import number
from ui.figures.markup import element
from ui.model import ModelAtHand
from ui.sections import Chapter, controls
from ui.session import session
from ui.training_service.queue import Refused

FIELDS = (("N", 1), ("h", 1), ("d_model", 8), ("batch", 8), ("rate", 0.001), ("steps", 50), ("seed", 1))
NOTES = {"notes": TrainConfig.notes(), "notes_250": TrainConfig.notes(eval_updates=True)}
NARROW = 112  # pixels of a number's field: seven of them stand side by side


def described(chapter: Chapter[Recipe]) -> tuple[TrainConfig | None, str]:
    """The run that the settings describe; or None, and why there can be no such run."""
    settle_task(chapter)
    try:
        config = config_of(chapter.settings)
        session().runs.slots.fit(config)
    except ConfigError as problem:
        return None, chapter.say(f"refused.{problem.reason}", **problem.values)
    except Refused as problem:
        return None, chapter.say(f"refused.{problem.reason}", limit=problem.limit)
    return config, ""


def shown_run(chapter: Chapter[Recipe]) -> TrainConfig:
    """The run on the page: the reader's own, or the one that the settings describe, or else the default's."""
    seen = session().seen
    return seen.config if seen else described(chapter)[0] or TrainConfig()


def _task_of(at_hand: ModelAtHand) -> dict[str, str]:
    """With its pairs, if it learns some; copying, where nobody knows what the model at hand has learned."""
    return {"task": "copy"} if at_hand.step is None else {"task": at_hand.run.task, "pairs": at_hand.run.pairs}


def _direction_of(at_hand: ModelAtHand, set_by_reader: str) -> str:
    """From English into the language that the model at hand translates, unless another direction is set."""
    usual, words = Recipe.default().direction, at_hand.words
    if set_by_reader != usual or not isinstance(words, Translation):
        return set_by_reader
    return f"en-{words.language}"


def settle_task(chapter: Chapter[Recipe]) -> None:
    """Where neither the link nor the reader has said what to learn, it is what the model at hand does."""
    settings = chapter.settings
    if settings.task == AUTO:
        direction = _direction_of(chapter.at_hand, settings.direction)
        recipe = settings_of(TrainConfig.of_task(direction=direction, **_task_of(chapter.at_hand)))
        for name, value in recipe.items():
            if getattr(settings, name) == getattr(settings.default(), name):
                chapter.put(name, value)


def task_choice(chapter: Chapter[Recipe]) -> None:
    """What is learned. Each task brings its recipe along."""
    controls.choose(chapter, "task", TASKS, partial(take_recipe, chapter), titled=False)


def folded_settings(chapter: Chapter[Recipe]) -> None:
    """All others, beside what says how they are set: not in the title, with which Streamlit would fold them again."""
    names = [name for name, _ in _fields(chapter)]
    shown = [name for name in (*names, "direction", "schedule") if not chapter.hides(name)]
    if not shown:
        return
    said = [f"{chapter.say(f'brief.{name}')} {number(getattr(chapter.settings, name))}" for name in names]
    if chapter.settings.task == "translate":
        said.insert(0, chapter.say(f"direction_option.{chapter.settings.direction}"))
    with st.container(key="training-recipe"):
        folded = st.expander(chapter.say("settings"), key="training.settings", on_change="rerun")
        st.html(element("p", " · ".join(said), class_="recipe"))
    with folded:
        if chapter.settings.task == "translate":
            controls.choose(chapter, "direction", on_change=partial(take_recipe, chapter), titled=False)
        _numbers(chapter)
        if folded.open:
            _more(chapter)
        with st.container(horizontal=True, gap="small"):
            st.button(chapter.say("preset.recipe"), on_click=partial(take_recipe, chapter), type="tertiary")
            for name, preset in NOTES.items() if chapter.notes else ():
                st.button(chapter.say(f"preset.{name}"), on_click=partial(take, chapter, preset), type="tertiary")


def take_recipe(chapter: Chapter[Recipe]) -> None:
    if chapter.settings.task == PAIRS:
        take_pairs(chapter)
        return
    take(chapter, TrainConfig.of_task(chapter.settings.task, chapter.settings.direction))


def _fields(chapter: Chapter[Recipe]) -> list[tuple[str, float]]:
    """The numbers that can be set, each with its step. Of Noam's rate, d_model and the warm-up give the rest."""
    noam = chapter.settings.schedule == "noam"
    return [("factor", 0.1) if name == "rate" and noam else (name, step) for name, step in FIELDS]


def _numbers(chapter: Chapter[Recipe]) -> None:
    refusals = list[str]()
    with st.container(horizontal=True, gap="small"):
        for name, step in _fields(chapter):
            controls.number(chapter, name, step, NARROW, refusals)
    for refusal in refusals:
        st.warning(refusal)


def _more(chapter: Chapter[Recipe]) -> None:
    left, right = st.columns(2, gap="medium")
    with left:
        controls.choose(chapter, "schedule")
        controls.number(chapter, "warmup", 10)
        controls.number(chapter, "clip", 0.5)
        controls.slider(chapter, "dropout", step=0.05)
        controls.toggle(chapter, "eval_updates")
        controls.slider(chapter, "smoothing", step=0.05)
        controls.slider(chapter, "noise", step=0.05)
        controls.number(chapter, "batches", 10)
    with right:
        if chapter.settings.task == "copy":  # the others have their own words and lengths
            controls.number(chapter, "vocab")
            controls.number(chapter, "length")
            controls.toggle(chapter, "padded")
        controls.choose(chapter, "embedding")
        controls.choose(chapter, "form")
        for name in ("scale", "positions", "learned_positions", "tied", "look_ahead"):
            controls.toggle(chapter, name)


def take(chapter: Chapter[Recipe], preset: TrainConfig) -> None:
    for name, value in settings_of(preset).items():
        chapter.put(name, value)
