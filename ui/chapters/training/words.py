"""What a run has come to at one step: its numbers, and a sentence on what its heads look at."""

from typing import Any

import numpy as np
import streamlit as st

from transformer_core.tasks.kinds import KINDS
from transformer_core.training.config import TrainConfig
from transformer_core.training.guess import guess_of
from transformer_core.training.history import History
from ui.chapters.training.values import (
    LEARNED,
    best_aligned,
    even_share,
    latest,
    learned_at,
    measured_match,
    reference_of,
)
from ui.figures.number import number
from ui.frame.chapter import Chapter


def measured(history: History, at: int) -> dict[str, str]:
    """The loss at one step, and the exact match, which is the last one measured by then."""
    match = measured_match(history, at)
    return {
        "loss": number(float(history.loss[latest(history.step, at)]), 3),
        "match": "–" if match is None else f"{match:.1%}",
    }


def readout(chapter: Chapter[Any], history: History, at: int) -> None:
    """The numbers at one step."""
    now = latest(history.step, at)
    values = {
        "step": f"{history.step[now]}",
        **measured(history, at),
        "rate": number(float(history.rate[now]), 2),
        "speed": f"{np.median(history.tokens_per_second[max(0, now - 20) : now + 1]):,.0f}",
    }
    cells = "".join(
        f"<div><small>{chapter.say(f'readout.{name}')}</small><b>{value}</b></div>" for name, value in values.items()
    )
    st.html(f'<div class="readout">{cells}</div>')


def what_it_learned(chapter: Chapter[Any], config: TrainConfig, history: History, at: int) -> None:
    """This run so far in words: its loss, what comes out right, and whether a head looks where a person would."""
    seen = latest(history.probe_step, at)
    layer, head, weight = best_aligned(history.cross_attention[seen], reference_of(config))
    values: dict[str, object] = {
        "step": at,
        "seen": int(history.probe_step[seen]),
        **measured(history, at),
        "guess": number(guess_of(config), 3),
        "layer": layer,
        "head": head,
        "weight": number(weight, 2),
        "even": number(even_share(reference_of(config)), 2),
    }
    if config.words is None:
        chapter.write("this_run.measured", **values)
        chapter.write("this_run.diagonal" if weight > 0.5 else "this_run.no_diagonal")
        return
    chapter.write("this_run.measured_words", **values)
    learned = {kind: learned_at(history, kind, at) for kind in KINDS} if config.task == "translate" else {}
    steps = sorted((step, kind) for kind, step in learned.items() if step is not None)
    if steps:
        listed = " · ".join(
            chapter.say("this_run.kind", kind=chapter.say(f"kind.{kind}"), step=step) for step, kind in steps
        )
        chapter.write("this_run.learned", listed=listed, share=f"{LEARNED:.0%}")


def of_task(config: TrainConfig, key: str) -> str:
    """The key of a text that is another one for sentences and for rows of letters."""
    return key if config.words is None else f"{key}_words" if config.task == "translate" else f"{key}_letters"
