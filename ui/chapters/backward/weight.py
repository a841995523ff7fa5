"""One weight: its gradient as a sum over positions, a difference beside it, and AdamW's first updates."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import streamlit as st
import torch
from torch import Tensor

from transformer_core import EncoderDecoder
from transformer_core.adamw import BETAS, EPS, adamw_steps
from transformer_core.backward import covers
from transformer_core.experiments.updates import ONLY_ONE, RATE, NextWord, updates
from ui.chapters.backward.board import axes, labels
from ui.chapters.backward.parts import QUANTITIES, board, columns_of
from ui.chapters.backward.stops import learned
from ui.chapters.backward.values import (
    ChosenParameter,
    OfWord,
    back_values,
    early_model,
    no_numbers,
    origin,
    there_and_back,
    word_of,
)
from ui.chapters.shared.tensors import chosen, grid
from ui.chapters.shared.word_choice import early, given_right
from ui.figures import Figure, number
from ui.model import answer, made
from ui.sections import Chapter, Frame, Section, controls, show
from ui.sections.sequence_fields import typed
from ui.settings.fields import real, whole
from ui.text import Typed

H = 1e-4  # of the difference, in float64
ROUNDING, SEEN = 1e-12, 100 * EPS  # a gradient below which it is none; beside which AdamW's ε is nothing
MOST = 10  # updates


class Weight(ChosenParameter):
    updates: int = whole(3, 1, MOST)
    decay: float = real(0.0, 0.0, 0.5)


class Moved(NamedTuple):
    difference: float  # (L(w + h) − L(w − h)) / 2h
    foretold: float  # what AdamW's first step changes, to first order
    measured: float


class Followed(NamedTuple):
    """What is found about one weight, float64."""

    given: np.ndarray | None  # (positions,) what came in; None where that is 1 everywhere
    after: np.ndarray  # (positions,) what is handed back
    updates: np.ndarray  # (n, 8)
    losses: np.ndarray  # (n + 1,)
    moved: Moved


@Section("weight", settings=Weight, cell="weight_cell", reads=(Frame, OfWord), look="open", text="text")
def weight(chapter: Chapter[Weight]) -> None:
    at_hand, src = chapter.at_hand, typed(chapter, "src")
    target = answer(at_hand, src)
    if len(target) < 2 or not covers(at_hand.load()):
        return
    at, here = word_of(chapter.of(OfWord), target), chapter.figure_first()
    if no_numbers(at_hand, src, at):
        return
    values, stops = back_values(at_hand, src, at), learned(at_hand.load())
    name, entry = _choose(chapter, {name: weights.detach() for name, weights in at_hand.load().named_parameters()})
    large = at_hand.config.parameters > ONLY_ONE
    count, decay = controls.side_by_side(chapter, updates={"high": 1 if large else MOST}, decay={"step": 0.01})
    word, stop = NextWord(src, target[:-1], at, target[at + 1]), stops[name]

    def measure(model: EncoderDecoder) -> Followed:
        twin = early(at_hand, model).double()
        given, after = columns_of(stop, there_and_back(twin, src, target, at), entry)
        parts = after if given is None else given * after
        of_one = moved(twin, word, name, entry, float(parts.sum()), decay)
        found = updates(twin, word, name, entry, count, weight_decay=decay)
        return Followed(given, after, found.weight.numpy(), found.losses.numpy(), of_one)

    found = made(at_hand, ("followed weight", word, name, entry, count, decay), measure)
    tokens = labels(axes(stop.inputs[-1])[0], stop, values, at_hand.config.vocabularies, len(found.after))
    tensor = f"{stop.path}[{', '.join(map(str, entry))}]"
    figure = Figure(
        "weight",
        board(stop, entry, found.given, found.after, found.updates, tokens, decay, chapter.say),
        origin(at_hand).provenance(tensor),
        columns=QUANTITIES,
        code=[adamw_steps, updates],
        program=(
            f"{early_model(at_hand)}from transformer_core.experiments.updates import NextWord, updates\n\n"
            f"word = NextWord({word.src}, {word.given}, {word.at}, {word.right})\n"
            f"found = updates(model.double(), word, {name!r}, {entry}, {count}, weight_decay={decay})\n"
            "shown = found.weight\nprint(shown)\nprint(found.losses)\n"
        ),
        alt=chapter.say("weight.alt", tensor=tensor, count=count),
    )
    show(here, figure)
    _said(chapter, found, decay, large)


def _choose(chapter: Chapter[Weight], parameters: Mapping[str, Tensor]) -> tuple[str, tuple[int, ...]]:
    wanted = chapter.settings
    _, name = chosen(chapter, "matrix", parameters)
    if name != wanted.matrix:
        st.info(chapter.say("weight.nearest", wanted=Typed(wanted.matrix), name=f"`{name}`"))
    (rows, columns), vector = grid(parameters[name]).shape[1:], parameters[name].dim() == 1
    out, into = controls.side_by_side(chapter, out={"high": rows - 1}, into={"high": columns - 1})
    if (out, into) != (wanted.out, wanted.into):
        st.info(chapter.say("weight.inside", name=f"`{name}`", rows=rows, columns=columns, out=out, into=into))
    return name, (into,) if vector else (out, into)


def _said(chapter: Chapter[Weight], found: Followed, decay: float, large: bool) -> None:
    _, gradient, *_, decayed, step = found.updates[0]
    size = abs(gradient)
    chapter.write(
        "weight.said" if size > SEEN else "weight.small" if size > ROUNDING else "weight.still",
        gradient=number(gradient, 4),
        difference=number(found.moved.difference, 4),
        step=number(step, 3),
        foretold=number(found.moved.foretold, 3),
        measured=number(found.moved.measured, 3),
    )
    chapter.write(
        "weight.large" if large else "weight.updates",
        count=len(found.updates),
        before=number(found.losses[0], 3),
        after=number(found.losses[-1], 3),
        first=number(1 / (1 - BETAS[0]), 3),
        last=number(1 / (1 - BETAS[0] ** len(found.updates)), 3),
        **{
            f"{name}_{when}": number(found.updates[row, at], 3)
            for name, at in (("m", 2), ("v", 3))
            for when, row in (("first", 0), ("last", -1))
        },
    )
    chapter.write("weight.decays" if decay else "weight.no_decay", decay=number(decayed, 3), rate=number(decay))


def moved(
    model: EncoderDecoder, word: NextWord, name: str, entry: tuple[int, ...], gradient: float, weight_decay: float = 0.0
) -> Moved:
    """Of a model in float64, whose weights are the same again afterwards."""
    weights = model.get_parameter(name)
    start = weights.detach()[entry].clone()

    def loss(value: Tensor) -> float:
        with torch.no_grad():
            weights[entry] = value
            return -float(given_right(model, word.src, word.given)[word.at, word.right])

    none = torch.zeros_like(start)
    step = adamw_steps(start, none + gradient, none, none, 1, rate=RATE, weight_decay=weight_decay).step
    difference = (loss(start + H) - loss(start - H)) / (2 * H)
    measured = loss(start + step)
    before = loss(start)  # last, which puts it back
    return Moved(difference, gradient * float(step), measured - before)
