"""What a run has come to at one step: its numbers, and a sentence on what its heads look at."""

import numpy as np
import streamlit as st

from transformer_core.training.config import TrainConfig
from transformer_core.training.guess import guess_of
from transformer_core.training.history import History
from transformer_core.training.run import probe_of
from ui.chapters.training.values import best_copier, latest, measured_match
from ui.figures.number import number
from ui.shell import Chapter


def readout(chapter: Chapter, history: History, at: int) -> None:
    """The numbers at one step; the exact match is the last one measured by then."""
    now, match = latest(history.step, at), measured_match(history, at)
    values = {
        "step": f"{history.step[now]}",
        "loss": number(float(history.loss[now]), 3),
        "match": "–" if match is None else f"{match:.1%}",
        "rate": number(float(history.rate[now]), 2),
        "speed": f"{np.median(history.tokens_per_second[max(0, now - 20) : now + 1]):,.0f}",
    }
    cells = "".join(
        f"<div><small>{chapter.say(f'readout.{name}')}</small><b>{value}</b></div>" for name, value in values.items()
    )
    st.html(f'<div class="readout">{cells}</div>')


def what_it_learned(chapter: Chapter, config: TrainConfig, history: History, at: int) -> None:
    """This run so far in words: its loss, its copies, and whether a head looks where a model that copies would."""
    seen = latest(history.probe_step, at)
    layer, head, weight = best_copier(history.cross_attention[seen])
    match = measured_match(history, at)
    values = {
        "step": at,
        "seen": int(history.probe_step[seen]),
        "loss": number(float(history.loss[latest(history.step, at)]), 3),
        "guess": number(guess_of(config), 3),
        "match": "–" if match is None else f"{match:.1%}",
        "layer": layer,
        "head": head,
        "weight": number(weight, 2),
        "even": number(1 / len(probe_of(config)), 2),
    }
    chapter.write("this_run.measured", **values)
    chapter.write("this_run.diagonal" if weight > 0.5 else "this_run.no_diagonal")
