"""A lab that trains two models side by side: started, watched and stopped by one reader, kept for all once finished."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import streamlit as st

from transformer_core.history import History
from transformer_core.train_config import TrainConfig
from ui import session
from ui.runs import Refused, Snapshot
from ui.shell import Chapter
from ui.text import Words

KEPT = 128  # finished runs
TICK = 0.7  # seconds between two looks at runs on their way

Pair = dict[str, TrainConfig]


@dataclass(frozen=True)
class PairLab:
    """What is particular to one lab. The setting `trained` names the pair that is wanted; a link to it trains it."""

    controls: Callable[[Chapter], "st.delta_generator.DeltaGenerator"]  # draws them, gives the place of the button
    pair: Callable[[Chapter], Pair]
    named: Callable[[Chapter], str]  # the pair that is set, as `trained` names it
    waiting: Callable[[Chapter], None]  # says what would be trained
    show: Callable[[Chapter, Mapping[str, History]], None]


def pair_lab(chapter: Chapter, lab: PairLab) -> None:
    """The lab as a fragment that looks again by itself while a run is on its way."""
    pair = lab.pair(chapter)
    if chapter.settings.trained == lab.named(chapter) and not _on_their_way(pair):
        try:
            _start(pair)
        except Refused:
            chapter.put("trained", "")
            st.warning(Words("shell", chapter.lang)("pair.refused"))
    ticking = any(snapshot.active for snapshot in _on_their_way(pair))
    st.fragment(_watch, run_every=TICK if ticking else None)(chapter, lab, ticking)


def _watch(chapter: Chapter, lab: PairLab, ticking: bool) -> None:
    shell = Words("shell", chapter.lang)
    place = lab.controls(chapter)
    pair = lab.pair(chapter)
    histories, seen = finished(pair), _on_their_way(pair)
    active = any(snapshot.active for snapshot in seen)
    with place:
        _button(chapter, lab, pair, done=len(histories) == len(pair), active=active)
    if active != ticking:
        st.rerun()
    if active:
        trained = sum(pair[name].steps for name in histories) + sum(snapshot.step for snapshot in seen)
        share = trained / sum(config.steps for config in pair.values())
        st.progress(share, shell("pair.running", share=f"{share:.0%}"))
    elif seen:
        _stop(pair)
        chapter.put("trained", "")
        st.warning(shell("pair.lost"))
    elif len(histories) == len(pair):
        lab.show(chapter, histories)
    else:
        lab.waiting(chapter)


def _button(chapter: Chapter, lab: PairLab, pair: Pair, *, done: bool, active: bool) -> None:
    shell = Words("shell", chapter.lang)
    if active:
        if st.button(shell("pair.stop"), icon=":material/stop:", key=f"{chapter.name}.stop"):
            _stop(pair)
            chapter.put("trained", "")
            st.rerun()
    elif st.button(shell("pair.start"), icon=":material/play_arrow:", key=f"{chapter.name}.start", disabled=done):
        chapter.put("trained", lab.named(chapter))
        st.rerun()


@st.cache_resource(show_spinner=False)
def _finished() -> dict[TrainConfig, History]:
    """For all readers: the same settings give the same run."""
    return {}


def _leave(mine: dict[TrainConfig, str]) -> None:
    for run in mine.values():
        session.runs().leave(run)


@st.cache_resource(scope="session", show_spinner=False, on_release=_leave)
def _mine() -> dict[TrainConfig, str]:
    """This reader's runs that have not finished."""
    return {}


def _start(pair: Pair) -> None:
    """Train what nobody has trained yet. Refused if there are too many runs already."""
    for config in pair.values():
        if config not in _finished() and config not in _mine():
            _mine()[config] = session.runs().start(config)


def _on_their_way(pair: Pair) -> list[Snapshot]:
    """Those of the pair that this reader has started and that have not finished; a lost run is among them."""
    return [session.runs().snapshot(_mine()[config]) for config in pair.values() if config in _mine()]


def _stop(pair: Pair) -> None:
    for snapshot in _on_their_way(pair):
        session.runs().stop(snapshot.run)
        session.runs().leave(_mine().pop(snapshot.config))


def finished(pair: Pair) -> dict[str, History]:
    """What is known of the pair, run by run; empty where a run has not come to its end."""
    for config, run in list(_mine().items()):
        snapshot = session.runs().snapshot(run)
        if snapshot.state == "done":
            kept = _finished()
            while len(kept) >= KEPT:
                del kept[next(iter(kept))]
            kept[config] = snapshot.history
            session.runs().leave(_mine().pop(config))
    return {name: _finished()[config] for name, config in pair.items() if config in _finished()}
