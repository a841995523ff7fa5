"""What each part that came after 2017 does to one small GPT: a run of the same recipe for each, one after the other."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import streamlit as st

from transformer_core.training.row_config import RowConfig
from transformer_core.training.row_run import RowHistory
from ui import state
from ui.chapters.training.rows import TICK, RowSettings, begin, complain, row_config_of
from ui.figures import percent
from ui.sections import Chapter, Section, controls, fragment
from ui.sections.table import table
from ui.session import session
from ui.settings.fields import Settings, whole
from ui.training_service.registry import RowSnapshot
from ui.training_service.row_runs import row_runs

STEPS, LAST = 500, 50  # of a run; those whose mean loss is told
ENOUGH = 0.9  # rows held out that are right: then it has learned
SWITCHES: dict[str, dict[str, Any]] = {
    "plain": {},
    "learned": {"row_positions": "learned"},
    "rotary": {"row_positions": "rotary"},
    "none": {"row_positions": "none"},
    "rms": {"row_norm": "rms"},
    "post": {"row_form": "post"},
    "gelu": {"row_feed_forward": "gelu"},
    "swiglu": {"row_feed_forward": "swiglu"},
    "tied": {"row_tied": True},
    "grouped": {"row_groups": 2},
    "one": {"row_groups": 1},
    "window": {"row_window": 8},
    "experts": {"row_experts": 4},
    "all": {"row_positions": "rotary", "row_norm": "rms", "row_feed_forward": "swiglu", "row_groups": 2},
}
COLUMNS = ("parameters", "loss", "step", "right")
Runs = Mapping[str, RowConfig]


class SwitchSettings(Settings):
    switch_seed: int = whole(0, 0, 9999)


def runs_of(seed: int) -> Runs:
    """The run of each switch, as the section before this one would set it."""
    usual = replace(RowSettings(), row_steps=STEPS, row_seed=seed)
    return {name: row_config_of(replace(usual, **switch)) for name, switch in SWITCHES.items()}


@Section("switches", settings=SwitchSettings, text="lead")
def switches(chapter: Chapter[SwitchSettings]) -> None:
    """A fragment that looks again by itself while this reader waits, and goes on to the next run."""
    runs = runs_of(controls.number(chapter, "switch_seed", width=112))
    goes = _goes(runs)
    fragment(_rows, run_every=TICK if goes else None)(chapter, runs, goes)


def _left(runs: Runs) -> list[RowConfig]:
    """Those that are not through."""
    return [run for run in runs.values() if not _done(row_runs.look(run))]


def _done(seen: RowSnapshot | None) -> bool:
    return seen is not None and seen.state == "done"


def _goes(runs: Runs) -> bool:
    """Whether this reader waits for the rest of the table: for a run on its way, or for one after those that are
    through. A run that failed ends that."""
    left, waited = _left(runs), any(row_runs.wanted(run, session().reader) for run in runs.values())
    first = row_runs.look(left[0]) if left else None
    return bool(left) and waited and (first is None or first.going)


def go_on(runs: Runs, reader: str) -> None:
    """With the first run that is not through; or with those who train it already."""
    begin(_left(runs)[0], reader)


def pause(runs: Runs, reader: str) -> None:
    for run in runs.values():
        row_runs.pause(run, reader)


def _rows(chapter: Chapter[SwitchSettings], runs: Runs, ticking: bool) -> None:
    say, reader = chapter.say, session().reader
    if _goes(runs) and not row_runs.waits(_left(runs)[0], reader):
        go_on(runs, reader)
    goes, left = _goes(runs), len(_left(runs))
    if goes != ticking:
        state.run_again()
    label, act, icon = ("pause", pause, "pause") if goes else ("switches.start", go_on, "play_arrow")
    st.button(
        say(label), icon=f":material/{icon}:", key="training.switches",
        on_click=chapter.anew(act), args=(runs, reader), disabled=not left,
    )  # fmt: skip
    complain(chapter)
    seen = {name: row_runs.look(run) for name, run in runs.items()}
    head = [say("switches.part"), *(say(f"switches.{column}", last=LAST, enough=f"{ENOUGH:.0%}") for column in COLUMNS)]
    table(head, [[say(f"switches.of.{name}"), *_row(chapter, runs[name], one)] for name, one in seen.items()])
    losses = {name: loss(one.history) for name, one in seen.items() if one is not None and one.state == "done"}
    if len(losses) > 1:
        ranked = sorted(losses, key=lambda name: losses[name])
        chapter.write(
            "switches.said", seed=chapter.settings.switch_seed, count=len(losses), steps=STEPS,
            least=say(f"switches.of.{ranked[0]}"), low=f"{losses[ranked[0]]:.3f}",
            most=say(f"switches.of.{ranked[-1]}"), high=f"{losses[ranked[-1]]:.3f}",
        )  # fmt: skip


def loss(told: RowHistory) -> float:
    """The mean of the last steps."""
    return float(told.loss[-LAST:].mean())


def _row(chapter: Chapter[SwitchSettings], config: RowConfig, seen: RowSnapshot | None) -> list[str]:
    """Parameters, loss, the step from which enough rows were right, and how many are at the end; what is not known yet
    is left empty."""
    cells = [f"{config.parameters:,}"]
    if seen is None or not len(seen.history.step):
        return [*cells, "", "", ""]
    if seen.state != "done":
        return [*cells, "", chapter.say("rows.running", step=seen.step, steps=STEPS), ""]
    told = seen.history
    enough = told.step[told.right >= ENOUGH]  # NaN is not
    learned = str(enough[0]) if len(enough) else "–"
    return [*cells, f"{loss(told):.3f}", learned, percent(float(told.right[-1]), 1)]
