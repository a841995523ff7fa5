"""Models trained side by side: started, watched and stopped by one reader, kept for all once finished."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, TypeVar

import streamlit as st

from transformer_core.training.config import TrainConfig
from transformer_core.training.history import History
from ui import state
from ui.cache import cached
from ui.chapters.shared.model_program import config_source
from ui.frame.notices import and_wait
from ui.sections import AnyChapter, Chapter, controls, fragment
from ui.session import session
from ui.settings.fields import Settings, by_click, text
from ui.training_service.queue import Refused
from ui.training_service.registry import Snapshot

TICK = 0.7  # seconds between two looks at runs on their way

Pair = dict[str, TrainConfig]


class OfPair(Settings):
    trained: str = by_click(text("", 20))  # the pair that was asked for, `1.0`; a link to it trains it again


P = TypeVar("P", bound=OfPair)


@dataclass(frozen=True)
class PairLab(Generic[P]):
    """What is particular to one lab. The values of the settings `of` which a pair is are its name in `trained`."""

    of: tuple[str, ...]
    controls: Mapping[str, Mapping[str, Any]]  # as they stand side by side
    widths: tuple[float, ...]  # of each, and of the button
    pair: Callable[[Chapter[P]], Pair]
    waiting: Callable[[Chapter[P]], None]  # says what would be trained
    show: Callable[[Chapter[P], Mapping[str, History]], None]

    def named(self, chapter: Chapter[P]) -> str:
        kinds = chapter.own.kinds()
        return ".".join(kinds[name].format(getattr(chapter.settings, name)) for name in self.of)


def pair_lab(chapter: Chapter[P], lab: PairLab[P]) -> None:
    """The experiment as a fragment that looks again by itself while a run is on its way."""
    pair = lab.pair(chapter)
    if chapter.settings.trained == lab.named(chapter) and not on_their_way(pair):
        try:
            start(pair, linked=True)
        except Refused:
            chapter.put("trained", "")
            st.warning(chapter.shell("pair.refused"))
    ticking = any(snapshot.active for snapshot in on_their_way(pair))
    fragment(_watch, run_every=TICK if ticking else None)(chapter, lab, ticking)


def _watch(chapter: Chapter[P], lab: PairLab[P], ticking: bool) -> None:
    shell = chapter.shell
    *_, place = controls.side_by_side(chapter, lab.widths, **lab.controls)
    pair = lab.pair(chapter)
    histories, seen = finished(pair), on_their_way(pair)
    active = any(snapshot.active for snapshot in seen)
    with place, st.container(key=f"run-{chapter.name}"):
        _button(chapter, lab, pair, done=len(histories) == len(pair), active=active)
    if active != ticking:
        state.run_again()  # what was on its way has ended, or is not what is set now
    if active:
        trained = sum(pair[name].steps for name in histories) + sum(snapshot.step for snapshot in seen)
        share = trained / sum(config.steps for config in pair.values())
        waits = [session().runs.eta(snapshot.run) for snapshot in seen]
        longest = next(filter(None, reversed(waits)), None)
        st.progress(share, and_wait(shell("pair.running", share=f"{share:.0%}"), longest, chapter.lang))
    elif seen:
        _end(chapter, pair)
        st.warning(shell("pair.lost"))
    elif len(histories) == len(pair):
        lab.show(chapter, histories)
    else:
        lab.waiting(chapter)


def _button(chapter: Chapter[P], lab: PairLab[P], pair: Pair, *, done: bool, active: bool) -> None:
    """What it does is done before anything is drawn: a look that is under way cannot miss it."""
    shell = chapter.shell
    if active:
        end = chapter.anew(partial(_end, chapter, pair))
        st.button(shell("pair.stop"), icon=":material/stop:", key=f"{chapter.name}.stop", on_click=end)
    else:
        start, key = chapter.anew(partial(_begin, chapter, lab, pair)), f"{chapter.name}.start"
        which = {1: "one", 2: "two"}.get(len(pair), "all")
        st.button(
            shell(f"pair.start.{which}", count=len(pair)),
            icon=":material/play_arrow:",
            key=key,
            on_click=start,
            disabled=done,
        )


def _begin(chapter: Chapter[P], lab: PairLab[P], pair: Pair) -> None:
    with suppress(Refused):  # the section tries once more, and says so
        start(pair, linked=False)
    chapter.put("trained", lab.named(chapter))


def _end(chapter: AnyChapter, pair: Pair) -> None:
    stop(pair)
    chapter.put("trained", "")


def start(pair: Pair, *, linked: bool) -> None:
    """Train what nobody has trained yet. Refused if there are too many runs already."""
    mine = session()
    for config in pair.values():
        if cached.get(_key(config)) is None and config not in mine.pairs:
            mine.start_experiment(config, linked=linked)


def on_their_way(pair: Pair) -> list[Snapshot]:
    """Those of the pair that this reader has started and that have not finished; a lost run is among them."""
    mine, seen = session(), []
    for config in pair.values():
        snapshot = mine.runs.snapshot(mine.pairs.get(config, ""))
        if snapshot is None:  # not started, or ended while the reader was away
            mine.pairs.pop(config, None)
        else:
            seen.append(snapshot)
    return seen


def stop(pair: Pair) -> None:
    mine = session()
    for snapshot in on_their_way(pair):
        mine.runs.forget(mine.pairs.pop(snapshot.config))


def finished(pair: Pair) -> dict[str, History]:
    """What is known of the pair, run by run; empty where a run has not come to its end."""
    mine = session()
    for snapshot in on_their_way(pair):
        if snapshot.state == "done":
            cached.put(_key(snapshot.config), snapshot.history)
            mine.runs.forget(mine.pairs.pop(snapshot.config))
    known = {name: cached.get(_key(config)) for name, config in pair.items()}
    return {name: history for name, history in known.items() if history is not None}


def _key(config: TrainConfig) -> tuple[str, TrainConfig]:
    """For all readers: the same settings give the same run."""
    return "finished", config


def trained_again(pair: Pair, shown: str) -> str:
    """A program that trains the pair; what is `shown` is made of its `histories`, one for each run."""
    runs = "".join(f"    {config_source(config)},\n" for config in pair.values())
    return f"""import numpy as np
import torch
from transformer_core.train import train
from transformer_core.training.config import TrainConfig
from transformer_core.training.history import History

torch.set_num_threads(1)  # sums come out the same to the last bit only if they are split alike
histories = [History.of(list(train(run))) for run in [
{runs}]]
shown = {shown}
print(shown)
"""
