"""The runs of this page so far, a row each; two of them race, or are compared, or one is set once more."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import streamlit as st

from transformer_core.training.config import TrainConfig
from ui import state
from ui.chapters.shared.draw_one import draw_one
from ui.chapters.training.controls import take
from ui.chapters.training.decode import SELDOM
from ui.chapters.training.experiments import ExperimentSettings, shown_pair
from ui.chapters.training.offer import compare
from ui.chapters.training.race import alike, name_of, race
from ui.chapters.training.recipe import END, Recipe, ShownRunSettings, settings_of
from ui.chapters.training.steer import to_the_end
from ui.chapters.training.values import pace
from ui.figures import number
from ui.model.run_link import run_text
from ui.sections import AnyChapter, Frame, Section, fragment
from ui.sections.table import table
from ui.session import session
from ui.settings.frame import LATEST
from ui.training_service.earlier_runs import KEPT_RUNS, EarlierRun

ROW = "training.runs.row"  # the widget that chooses one


@Section("runs", reads=(Recipe, ExperimentSettings), sets=(ShownRunSettings,), look="open", whole=True)
def runs(chapter: AnyChapter) -> None:
    mine, seen = session(), session().seen
    past = mine.past
    if not past:
        chapter.write("runs.none")
        return
    every = SELDOM * pace(past[-1].config) if mine.racing or (seen and seen.going) else None
    fragment(_table, run_every=every)(chapter)
    if not past[-1].going:
        draw_one(chapter, "loss", draw_own=True)
    others = {name: one for name, one in _named(chapter, past).items() if not (seen and one.config == seen.config)}
    if not others:
        return
    names = list(others)
    at = st.selectbox(chapter.say("runs.row"), range(len(names)), 0, names.__getitem__, key=ROW, filter_mode=None)
    chosen = others[names[min(at, len(names) - 1)]]
    with st.container(horizontal=True, gap="small"):
        st.button(
            chapter.say("runs.race"), on_click=partial(_race, chapter, chosen.config), icon=":material/flag:",
            disabled=seen is None or not alike(seen.config, chosen.config), key="training.runs.race",
        )  # fmt: skip
        st.button(
            chapter.say("compare", step=chosen.step),
            on_click=chapter.then(partial(compare, chapter, chosen.config, chosen.step)),
            type="tertiary",
            key="training.runs.compare",
        )
        st.button(
            chapter.say("runs.take"),
            on_click=partial(take, chapter.of(ShownRunSettings), chosen.config),
            type="tertiary",
            key="training.runs.take",
        )


def _named(chapter: AnyChapter, past: Sequence[EarlierRun]) -> dict[str, EarlierRun]:
    return {f"{at}: {name_of(chapter.say, one.config)}": one for at, one in enumerate(past, 1)}


def _race(chapter: AnyChapter, other: TrainConfig) -> None:
    mine, run = session(), chapter.of(ShownRunSettings)
    if mine.seen is not None:
        take(run, mine.seen.config)
        mine.start(mine.seen.config, rival=other)
        to_the_end(run)


def _table(chapter: AnyChapter) -> None:
    say, mine = chapter.say, session()
    head = [say(f"runs.head.{name}") for name in ("run", "loss", "match", "step", "seconds", "link")]
    named = _named(chapter, mine.past)
    table(head, [_row(chapter, name, past) for name, past in named.items()])
    st.caption(say("runs.note", most=KEPT_RUNS))
    here = {seen.config for seen in (mine.seen, mine.beside) if seen}
    pair = {name: past for name, past in named.items() if past.config in here}
    if mine.beside and len(pair) == 2 and here != set(shown_pair(chapter)):  # an experiment's stands above
        race(chapter, "race", pair)


def _row(chapter: AnyChapter, name: str, past: EarlierRun) -> list[str]:
    say, learned = chapter.say, past.learned
    if past.state == "failed":
        name = f"{name} · {say('runs.failed', step=past.step)}"
    elif past.state != "done":
        name = f"{name} · {say('runs.until', step=past.step)}"
    return [
        name,
        "–" if past.last_loss is None else number(past.last_loss, 3),
        "–" if past.last_match is None else f"{past.last_match:.1%}",
        f"{learned.step}" if learned else "–",
        number(learned.seconds, 2) if learned else "–",
        f"[{say('runs.link')}]({_link(past)})",
    ]


def _link(past: EarlierRun) -> str:
    config = past.config
    step = LATEST if past.step == config.steps else past.step
    frame: dict[str, Any] = {"model": "run", "run": run_text(config), "step": step, "compare": Frame.default().compare}
    return state.url("training", at=END, replay=False, going=False, **frame, **settings_of(config))
