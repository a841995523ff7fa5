"""The change that the reader chooses: its controls, and what they say."""

import math

import numpy as np
import streamlit as st

from transformer_core import PAD, START
from ui import state
from ui.chapters.heads.what_if.values import WhatIf
from ui.chapters.shared.attention_values import mask_of, path
from ui.figures import number
from ui.inputs.sequence import TypedSequences
from ui.inputs.typed_numbers import Mistyped, numbers
from ui.model import recorded
from ui.sections import Chapter, controls
from ui.settings.fields import Settings, choice, text, whole
from ui.settings.shared import KINDS

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


OF_HEADS = {"off": "head_off", "uniform": "head_uniform", "row": "row_by_hand"}
SUBLAYERS = {"encoder": ("encoder", "network"), "decoder": ("decoder", "cross", "network")}


class Change(OfRow):
    if_how: str = choice("off", *OF_HEADS, "residual", "positions", "swap")
    if_kind: str = choice("cross", *KINDS)
    if_layer: int = whole(0, 0, 5)
    if_head: int = whole(3, 0, 15)
    if_query: int = whole(1, 0, 99)
    if_place: int = whole(1, 0, 29)  # which residual connection, the encoder's first
    if_first: int = whole(2, 0, 99)  # of the words of the source
    if_second: int = whole(3, 0, 99)


def chosen_change(chapter: Chapter[Change], written: TypedSequences) -> WhatIf | None:
    """What is to change; None once it is said that there is nothing to choose from. `written` is the source with what
    the model writes as it is."""
    how = controls.choose(chapter, "if_how")
    if how in OF_HEADS:
        return _of_head(chapter, how, written)
    if how == "residual":
        places, names = _connections(chapter)
        return WhatIf(written.src, "without_residual", places[controls.named(chapter, "if_place", names)])
    if how == "positions":
        return WhatIf(written.src, "without_positions")
    return _swapped(chapter, written)


def _of_head(chapter: Chapter[Change], how: str, written: TypedSequences) -> WhatIf:
    config = chapter.at_hand.config
    with st.container(horizontal=True):
        kind = controls.choose(chapter, "if_kind")
        layer = controls.number_of(chapter, "if_layer", config.N)
        head = controls.number_of(chapter, "if_head", config.h)
    query, row = _row(chapter, kind, layer, head, written) if how == "row" else (None, ())
    return WhatIf(written.src, OF_HEADS[how], path(kind, layer), head, query, row)


def _row(
    chapter: Chapter[Change], kind: str, layer: int, head: int, written: TypedSequences
) -> tuple[int, tuple[float, ...]]:
    """Which query, and its weights on the keys up to the last that it may see."""
    query = controls.one_of(chapter, "if_query", written.sources if kind == "encoder" else written.steps)
    seen = np.flatnonzero(mask_of(kind, written)[query].numpy())
    labels = written.targets if kind == "decoder" else written.sources
    trace = recorded(chapter.at_hand, written.src, written.given)
    own = trace[f"{path(kind, layer)}.weights"][0, head, query].numpy()
    row = np.zeros(seen[-1] + 1)
    row[seen] = typed_row(chapter, [labels[key] for key in seen], own[seen])
    return query, tuple(row.tolist())


def _connections(chapter: Chapter[Change]) -> tuple[list[str], list[str]]:
    say, layers = chapter.say, range(chapter.at_hand.config.N)
    listed = [(stack, n, i, name) for stack, names in SUBLAYERS.items() for n in layers for i, name in enumerate(names)]
    paths = [f"{stack}.layers.{n}.sublayer.{i}" for stack, n, i, _ in listed]
    names = [
        say("if_place.name", stack=say(f"short.{stack}"), layer=n, of=say(f"if_of.{of}")) for stack, n, _, of in listed
    ]
    return paths, names


def _swapped(chapter: Chapter[Change], written: TypedSequences) -> WhatIf | None:
    """Two words of the source change places; its symbols stay where they are."""
    symbols = {PAD, written.source.end}
    words = [at for at, token in enumerate(written.src) if token not in symbols and (at or token != START)]
    if len(words) < 2:
        st.info(chapter.say("if_swap.few"))
        return None
    names = [f"{at}: {written.sources[at]}" for at in words]
    with st.container(horizontal=True):
        one, other = (words[controls.named(chapter, name, names)] for name in ("if_first", "if_second"))
    src = list(written.src)
    src[one], src[other] = src[other], src[one]
    return WhatIf(tuple(src))
