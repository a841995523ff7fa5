"""A GPT and a BERT that the reader trains: of one stack of layers, with the parts that came after 2017 as switches."""

from dataclasses import fields
from functools import partial
from typing import Any

import numpy as np
import streamlit as st

from transformer_core.after_2017.shape import NORMS, POSITIONS, OneStackShape
from transformer_core.tasks import UnknownWord
from transformer_core.tasks.grammar import ENGLISH
from transformer_core.tasks.translation import DIRECTIONS
from transformer_core.training.config import ConfigError
from transformer_core.training.row_answers import TYPED_COVER, NotAnswered, row_answer
from transformer_core.training.row_config import RowConfig
from transformer_core.training.row_file import OneStackCheckpoint, one_stack_bytes
from transformer_core.training.row_run import RowHistory, RowRun
from transformer_core.training.tensor_file import SUFFIX
from ui import state
from ui.chapters.training.figures.run import verdict
from ui.chapters.training.recipe import AUTO, PAIRS, Recipe
from ui.figures import Dots, Figure, Style, XAxis, YAxis, curves, number
from ui.frame.notices import and_wait
from ui.inputs.gloss import glosses_for
from ui.model.rows import row_kind, task_of
from ui.sections import AnyChapter, Chapter, Section, controls, fragment, show
from ui.session import session
from ui.settings.fields import Settings, choice, flag, text, whole
from ui.theme import css
from ui.training_service.queue import Refused
from ui.training_service.registry import RowSnapshot
from ui.training_service.row_runs import row_runs

TICK = 0.7  # seconds between two looks at a run on its way
KINDS = {"gpt": "decoder", "bert": "encoder"}
SENTENCES = {"en": "two white cats sleep", "zh": "两 只 白色 的 猫 睡觉", "es": "dos gatos blancos duermen"}
NUMBERS = {"row_N": 1, "row_h": 1, "row_d_model": 8, "row_steps": 100, "row_seed": 1}
SWITCHES = {"row_groups": 1, "row_window": 1, "row_experts": 1, "row_top_k": 1}  # 0 stands for the model of 2017
NARROW = 112  # pixels of a number's field
PROGRAM = """import torch
from transformer_core.training.row_config import RowConfig
from transformer_core.training.row_run import RowHistory, RowRun

torch.set_num_threads(1)  # sums come out the same to the last bit only if they are split alike
run = RowRun(RowConfig({said}))
shown = RowHistory.of(list(run.work())[:{count}]).table
print(shown[-1])
"""


def text_for(kind: str, direction: str) -> str:
    """What a model of this kind, which has learned rows of this direction, can answer."""
    other, sides = DIRECTIONS[direction]
    source, target = (SENTENCES[one] for one in (("en", other) if ENGLISH in sides else (other, "en")))
    if kind == "gpt":
        return f"{source} ="
    first, _, *rest = f"{source} = {target}".split()
    return " ".join([first, TYPED_COVER, *rest])


class RowSettings(Settings):
    row_kind: str = choice("gpt", *KINDS)
    row_direction: str = choice(AUTO, AUTO, *DIRECTIONS)
    row_N: int = whole(2, 1, 4)
    row_h: int = whole(4, 1, 8)
    row_d_model: int = whole(64, 8, 128)
    row_steps: int = whole(1500, 100, 3000)
    row_seed: int = whole(0, 0, 9999)
    row_positions: str = choice("sinusoids", *POSITIONS)
    row_norm: str = choice("layer", *(name for name in NORMS if name != "torch"))
    row_feed_forward: str = choice("relu", "relu", "gelu", "swiglu")
    row_form: str = choice("pre", "pre", "post")
    row_tied: bool = flag(False)
    row_groups: int = whole(0, 0, 8)
    row_window: int = whole(0, 0, 40)
    row_experts: int = whole(0, 0, 8)
    row_top_k: int = whole(1, 1, 8)
    row_text: str = text(text_for("gpt", "both"), 300)
    row_back: int = whole(0, 0, 99)  # moments of the run that are looked back


def row_config_of(settings: RowSettings) -> RowConfig:
    """The run that is set. ConfigError, with a reason that the page has a sentence for, if the switches do not fit."""
    return RowConfig.of_kind(
        KINDS[settings.row_kind],
        direction=RowConfig.direction if settings.row_direction == AUTO else settings.row_direction,
        N=settings.row_N,
        d_model=settings.row_d_model,
        h=settings.row_h,
        norm_first=settings.row_form == "pre",
        norm=settings.row_norm,
        positions=settings.row_positions,
        feed_forward=settings.row_feed_forward,
        tied=settings.row_tied,
        groups=settings.row_groups or None,
        window=settings.row_window or None,
        experts=settings.row_experts or None,
        top_k=settings.row_top_k if settings.row_experts else 1,
        steps=settings.row_steps,
        seed=settings.row_seed,
    )


@Section("rows", settings=RowSettings, reads=(Recipe,), text="text", why="why")
def rows(chapter: Chapter[RowSettings]) -> None:
    """A fragment that looks again by itself while this reader waits."""
    if chapter.of(Recipe).settings.task == PAIRS:
        chapter.write("rows.own_pairs")
    if chapter.settings.row_direction == AUTO:
        chapter.put("row_direction", task_of(row_kind("gpt", chapter.at_hand)).direction)
    _set(chapter)
    try:
        config = row_config_of(chapter.settings)
    except ConfigError as problem:
        st.warning(chapter.say(f"rows.refused.{problem.reason}", **problem.values))
        return
    waiting = row_runs.waits(config, session().reader)
    fragment(_watch, run_every=TICK if waiting else None)(chapter, config, waiting)


def _set(chapter: Chapter[RowSettings]) -> None:
    controls.choose(chapter, "row_kind", on_change=lambda: _take_recipe(chapter), titled=False)
    refusals = list[str]()
    with st.container(horizontal=True, gap="small"):
        for name, step in NUMBERS.items():
            controls.number(chapter, name, step, NARROW, refusals)
    with st.expander(chapter.say("rows.parts"), key="training.parts"):
        controls.choose(chapter, "row_direction", tuple(DIRECTIONS), on_change=lambda: _take_text(chapter))
        left, right = st.columns(2, gap="medium")
        with left:
            for name in ("row_positions", "row_norm", "row_feed_forward", "row_form"):
                controls.choose(chapter, name)
        with right:
            for name, step in SWITCHES.items():
                controls.number(chapter, name, step)
            controls.toggle(chapter, "row_tied")
    for refusal in refusals:
        st.warning(refusal)


def _take_recipe(chapter: Chapter[RowSettings]) -> None:
    """Each kind of model brings its recipe along, and a text that it can answer."""
    kind = chapter.settings.row_kind
    recipe = RowConfig.of_kind(KINDS[kind])
    for name, value in {"steps": recipe.steps, "positions": recipe.positions}.items():
        chapter.put(f"row_{name}", value)
    _take_text(chapter)


def _take_text(chapter: Chapter[RowSettings]) -> None:
    chapter.put("row_text", text_for(chapter.settings.row_kind, chapter.settings.row_direction))


def begin(config: RowConfig, reader: str) -> None:
    try:
        row_runs.begin(config, reader)
    except Refused as refused:
        session().refused = refused


def complain(chapter: AnyChapter) -> None:
    """Why a run was refused that has just been asked for."""
    if refused := session().refused:
        st.warning(chapter.say(f"refused.{refused.reason}", limit=refused.limit))
        session().refused = None


def button_of(seen: RowSnapshot | None, waits: bool) -> str:
    """What can be done now: a run that others train goes on for this reader, too."""
    if waits:
        return "pause"
    return {"lost": "restart", "done": "anew", "failed": "anew"}.get(seen.state, "resume") if seen else "rows.start"


def _moments(seen: RowSnapshot) -> list[int]:
    """The steps whose models are known, the last one first."""
    rests = {seen.step} if seen.state == "paused" else set[int]()
    return sorted({step for step in seen.config.moments if step <= seen.step} | rests, reverse=True)


def _watch(chapter: Chapter[RowSettings], config: RowConfig, ticking: bool) -> None:
    say, reader, seen = chapter.say, session().reader, row_runs.look(config)
    waits = row_runs.waits(config, reader)
    with st.container(horizontal=True, gap="medium", vertical_alignment="center"):
        st.button(
            say(button_of(seen, waits)),
            icon=f":material/{'pause' if waits else 'play_arrow'}:",
            on_click=chapter.anew(row_runs.pause if waits else begin),
            args=(config, reader),
            key="training.rows.steer",
        )
        if seen is not None and seen.active:
            phase = seen.state if seen.state in ("waiting", "queued") else "running"
            said = say(f"state.{phase}" if waits else "rows.running", step=seen.step, steps=config.steps)
            st.progress(seen.step / config.steps, and_wait(said, row_runs.runs.eta(seen.run), chapter.lang))
    if waits != ticking:
        state.run_again()  # what was on its way has ended, or is not what is set now
    complain(chapter)
    if seen is not None and seen.state == "lost":
        st.error(say("state.lost", step=seen.step, steps=config.steps))
    elif seen is not None and seen.state == "failed":
        st.error(say(f"failed.{seen.reason}", step=seen.step))
    if seen is None or not len(seen.history.step):
        chapter.write("rows.waiting")
        moments = list[int]()
    else:
        _curves(chapter, config, seen.history)
        moments = _moments(seen)
        names = [say("rows.at", step=step) for step in moments]
        # Under way it is the last one: a slider that grows would stay at the step at which it has begun.
        step = moments[0 if seen.going else controls.one_of(chapter, "row_back", names)]
    typed = controls.text(chapter, "row_text")
    if not moments:
        return
    if (model := row_runs.model(config, step)) is None:
        chapter.write("rows.evicted")
        return
    _answer(chapter, model, typed)
    file = f"{chapter.settings.row_kind}-step{step}{SUFFIX}"
    st.download_button(
        say("rows.save", step=step), partial(one_stack_bytes, *model), file, "application/octet-stream",
        key="training.rows.save", on_click="ignore", icon=":material/download:", type="tertiary",
    )  # fmt: skip


def _curves(chapter: Chapter[RowSettings], config: RowConfig, told: RowHistory) -> None:
    """The loss of every step, and how many rows held out were right where that was examined."""
    say, step, count = chapter.say, told.step, len(told.step)
    examined = np.isfinite(told.right)
    dots = {say("rows.right"): Dots(step[examined], told.right[examined], css("attention"))}
    alike: dict[str, Any] = {"x_axis": XAxis(say("label.step")), "style": Style(legend="none"), "height": 220}
    drawn = [curves(step, {say("rows.loss"): told.loss}, y_axis=YAxis(say("rows.loss")), **alike)]
    if examined.any():
        drawn.append(curves(step, {}, dots=dots, y_axis=YAxis(say("rows.right"), range=(0, 1)), **alike))
    alts = [say("rows.loss_alt", step=int(step[-1]), loss=number(float(told.loss[-1]), 3)), say("rows.right_alt")]
    figure = Figure(
        "rows",
        drawn,
        f"RowRun.work() · {count} × 4 · seed {config.seed}",
        numbers=told.table,
        columns=list(RowHistory._fields),
        code=[RowRun.update, OneStackShape],
        program=PROGRAM.format(said=_said(config), count=count),
        alt=alts[: len(drawn)],
    )
    show(chapter, figure)


def _said(config: RowConfig) -> str:
    """The settings that are not the usual ones, as one writes them."""
    said: dict[str, Any] = {field.name: getattr(config, field.name) for field in fields(config)}
    usual = {field.name: field.default for field in fields(config)} | {"d_ff": 4 * config.d_model}
    return ", ".join(f"{name}={value!r}" for name, value in said.items() if value != usual[name])


def _answer(chapter: Chapter[RowSettings], model: OneStackCheckpoint, typed: str) -> None:
    """What the trained model makes of the reader's text."""
    assert model.config is not None
    task = model.config.task
    vocabulary, languages = task.vocabulary, task.translation
    try:
        answer = row_answer(model, typed)
    except UnknownWord as problem:
        key = "sequence.unknown_near" if problem.nearest else "sequence.unknown_word"
        count, nearest = len(vocabulary.words), chapter.shell("comma").join(problem.nearest)
        st.warning(chapter.shell(key, word=problem.word[:40], count=count, nearest=nearest))
        return
    except NotAnswered as problem:
        st.warning(chapter.say(f"rows.refused.{problem.reason}", cover=TYPED_COVER, **problem.values))
        return
    glosses = glosses_for(chapter.lang, languages.source, languages.target)
    words = vocabulary.names_of(vocabulary.read(answer))
    st.html(verdict(chapter.say("rows.answer"), words, (), "", glosses))
