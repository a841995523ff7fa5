"""Two training runs side by side for one reader: started, watched, stopped, and kept for everybody once finished."""

import streamlit as st

from transformer_core.history import History
from transformer_core.train_config import TrainConfig
from ui import session
from ui.runs import Snapshot

KEPT = 128  # finished runs

Pair = dict[str, TrainConfig]


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


def start(pair: Pair) -> None:
    """Train what nobody has trained yet. Refused if there are too many runs already."""
    for config in pair.values():
        if config not in _finished() and config not in _mine():
            _mine()[config] = session.runs().start(config)


def on_their_way(pair: Pair) -> list[Snapshot]:
    """Those of the pair that this reader has started and that have not finished; a lost run is among them."""
    return [session.runs().snapshot(_mine()[config]) for config in pair.values() if config in _mine()]


def stop(pair: Pair) -> None:
    for snapshot in on_their_way(pair):
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
