"""What each part that came after 2017 does to one small GPT: a run of the same recipe for each, one after the other."""

from collections.abc import Mapping
from dataclasses import replace
from functools import cache, partial
from statistics import fmean
from typing import Any

import streamlit as st

from transformer_core.after_2017.make import build
from transformer_core.training.models import unfilled
from transformer_core.training.row_config import RowConfig
from ui import state
from ui.chapters.training.rows import TICK, RowSettings, row_config_of
from ui.figures import number, percent
from ui.sections import Chapter, Section, controls, fragment
from ui.sections.table import table
from ui.session import session
from ui.settings.fields import Settings, whole
from ui.training_service.row_runs import RowTraining, row_runs

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
    return [run for run in runs.values() if row_runs.look(run).state != "done"]


def _goes(runs: Runs) -> bool:
    """Whether this reader waits for the rest of the table: for a run on its way, or for one after those that are
    through. A run that failed ends that."""
    left, waited = _left(runs), any(session().name in row_runs.look(run).waiting for run in runs.values())
    return bool(left) and waited and row_runs.look(left[0]).state in ("none", "running")


def begin(runs: Runs, reader: str) -> None:
    """The first run that is not through; or wait for it with those who wait already."""
    row_runs.begin(_left(runs)[0], reader)


def stop(runs: Runs, reader: str) -> None:
    for run in runs.values():
        if reader in row_runs.look(run).waiting:
            row_runs.stop(run, reader)


def _rows(chapter: Chapter[SwitchSettings], runs: Runs, ticking: bool) -> None:
    say, reader = chapter.say, session().name
    if _goes(runs) and reader not in row_runs.look(_left(runs)[0]).waiting:
        begin(runs, reader)
    goes, left = _goes(runs), len(_left(runs))
    if goes != ticking:
        state.run_again()
    label, act, icon = ("rows.stop", stop, "stop") if goes else ("switches.start", begin, "play_arrow")
    st.button(
        say(label), icon=f":material/{icon}:", key="training.switches",
        on_click=chapter.anew(act), args=(runs, reader), disabled=not left or (not goes and row_runs.full),
    )  # fmt: skip
    seen = {name: row_runs.look(run) for name, run in runs.items()}
    head = [say("switches.part"), *(say(f"switches.{column}", last=LAST, enough=f"{ENOUGH:.0%}") for column in COLUMNS)]
    table(head, [[say(f"switches.of.{name}"), *_row(chapter, runs[name], one)] for name, one in seen.items()])
    losses = {name: loss(one) for name, one in seen.items() if one.state == "done"}
    if len(losses) > 1:
        ranked = sorted(losses, key=lambda name: losses[name])
        chapter.write(
            "switches.said", seed=chapter.settings.switch_seed, count=len(losses), steps=STEPS,
            least=say(f"switches.of.{ranked[0]}"), low=number(losses[ranked[0]], 3),
            most=say(f"switches.of.{ranked[-1]}"), high=number(losses[ranked[-1]], 3),
        )  # fmt: skip


def loss(seen: RowTraining) -> float:
    """The mean of the last steps."""
    return fmean(report.loss for report in seen.reports[-LAST:])


@cache
def parameters(run: RowConfig) -> int:
    return sum(parameter.numel() for parameter in unfilled(partial(build, run.shape)).parameters())


def _row(chapter: Chapter[SwitchSettings], config: RowConfig, seen: RowTraining) -> list[str]:
    """Parameters, loss, the step from which enough rows were right, and how many are at the end; what is not known yet
    is left empty."""
    cells = [f"{parameters(config):,}"]
    if seen.state == "done":
        learned = next((one.step for one in seen.reports if one.right is not None and one.right >= ENOUGH), None)
        right = seen.reports[-1].right
        return [*cells, number(loss(seen), 3), str(learned or "–"), percent(right, 1) if right is not None else ""]
    if seen.state == "running":
        at = seen.reports[-1].step if seen.reports else 0
        return [*cells, "", chapter.say("rows.running", step=at, steps=STEPS), ""]
    return [*cells, "", "", ""]
