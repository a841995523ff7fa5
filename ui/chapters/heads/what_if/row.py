"""A row of attention weights typed by the reader: text -> weights, or a sentence about what is wrong."""

import math

import numpy as np
import streamlit as st

from ui import state
from ui.figures import number
from ui.inputs.typed_numbers import Mistyped, numbers
from ui.sections import Chapter, controls
from ui.settings.fields import Settings, text

LARGEST = 1000
Weights = tuple[float, ...]


class OfRow(Settings):
    if_row: str = text("")  # the weights of a query, on the keys that it may see


class NotWeights(Mistyped):
    """Its key is the last part of that of a text in the chapter's words."""


def parse(typed: str, count: int) -> Weights:
    """`count` numbers separated by spaces or commas, none negative and not all 0.

    NotWeights: "count", "letters", "no_number" (NaN, ∞), "negative", "huge" or "zero".
    """
    weights = numbers(typed, NotWeights, LARGEST)
    if min(weights, default=0) < 0:
        raise NotWeights("negative", word=f"{min(weights):g}")
    if len(weights) != count:
        raise NotWeights("count", count=len(weights), keys=count)
    if not any(weights):
        raise NotWeights("zero", keys=count)
    return weights


def typed_row(chapter: Chapter[OfRow], keys: list[str], now: np.ndarray) -> Weights:
    """The field for the weights of one query on these keys; `now` are the model's own.

    They come as typed, not yet divided by their sum. While the field is empty, the model's own; while what stands there
    is wrong, which is said, what there was before.
    """
    typed = controls.text(chapter, "if_row")
    chapter.write("if_row.keys", keys=" · ".join(keys), now=" ".join(f"{weight:.2f}" for weight in now))
    read = None
    try:
        read = parse(typed, len(keys)) if typed.strip() else ()
    except NotWeights as problem:
        st.warning(chapter.say(f"if_row_problem.{problem.key}", **problem.values))
    if read and not math.isclose(sum(read), 1.0, rel_tol=1e-6):
        st.caption(chapter.say("if_row.divided", sum=number(sum(read))))
    kept = state.remember(f"{chapter.name}.if_row", read)
    return kept if kept and len(kept) == len(keys) else tuple(map(float, now))
