"""One symptom by one of its causes, beside the healthy state; each cause's line, worked out for both."""

from functools import cache, partial

import numpy as np
import streamlit as st

from transformer_core.exercises.symptoms.every_symptom import SYMPTOMS, both_lanes, numbers_of
from transformer_core.exercises.symptoms.symptom import CheckedCause, ShippedModels, State, Symptom, holds
from ui.cache import cached
from ui.chapters.symptoms.pictures import IN_CURVES, LANES, Lanes, alternatives, board, of_runs, titles
from ui.figures import Figure, number, percent
from ui.model.shipped import peeking, shipped
from ui.sections import Chapter, Section, controls, provenance, show
from ui.settings.fields import Settings, choice, whole

NAMES = tuple(SYMPTOMS)
PROGRAM = """import torch
from transformer_core.exercises.symptoms.every_symptom import {made}
from transformer_core.exercises.symptoms.symptom import ShippedModels

torch.set_num_threads(1)  # sums come out the same to the last bit only if they are split alike
shown = {made}({name!r}, {cause!r}, ShippedModels.in_folder('assets/model'), {seed})
print(shown)
"""


class OfSymptom(Settings):
    symptom: str = choice(NAMES[0], *NAMES)
    cause: int = whole(0, 0, 2)  # which of the three makes it
    symptom_seed: int = whole(0, 0, 20)


@Section("symptom", settings=OfSymptom, cell="symptom_cell", look="lead")
def symptom(chapter: Chapter[OfSymptom]) -> None:
    say = chapter.say
    one = SYMPTOMS[controls.choose(chapter, "symptom")]
    above = chapter.figure_first()
    names = [say(f"cause.{one.name}.{each.name}") for each in one.causes]
    left, right = st.columns([3, 2], gap="medium")
    with left:
        cause = one.causes[controls.named(chapter, "cause", names)]
    with right:
        seed = controls.slider(chapter, "symptom_seed")
    lanes = {lane: made(one, name, seed) for lane, name in zip(LANES, (cause.name, ""))}
    show(above, _figure(chapter, one, cause, lanes))
    chapter.write(f"looks.{one.name}", **_measured(one, lanes))
    _causes(chapter, one, lanes)


@cache
def models() -> ShippedModels:
    """NotShipped if one is missing or damaged."""
    return ShippedModels(shipped("trained").model, shipped("translate").model, peeking().model)


def made(one: Symptom, cause: str, seed: int) -> State:
    """For all readers: what makes a state is the cause and the seed alone."""
    return cached.get_or_make(("symptom", one.name, cause, seed), partial(one.state, cause, seed, models()))


def _figure(chapter: Chapter[OfSymptom], one: Symptom, cause: CheckedCause, lanes: Lanes) -> Figure:
    say, seed = chapter.say, chapter.settings.symptom_seed
    in_curves = one.name in IN_CURVES
    function = both_lanes if in_curves else numbers_of
    numbers = {lane: one.show(state).numpy() for lane, state in lanes.items()}
    shown = np.column_stack([numbers["here"], numbers["healthy"][:, 1:]]) if in_curves else numbers["here"]
    return Figure(
        "made",
        of_runs(say, one.name, numbers) if in_curves else board(say, one, lanes),
        provenance(f"{function.__name__}({one.name!r}, {cause.name!r})", *shown.shape) + f" · seed {seed}",
        shown if in_curves else None,
        titles(say, one.name) if in_curves else (),
        code=[cause.make, one.show],
        program=PROGRAM.format(made=function.__name__, name=one.name, cause=cause.name, seed=seed),
        alt=alternatives(say, one.name),
    )


def _measured(one: Symptom, lanes: Lanes) -> dict[str, str]:
    """The numbers to judge by, of both states."""
    return {
        f"{lane}_{name}": percent(of(state), 0) if name.startswith("share") else number(of(state), 3)
        for lane, state in lanes.items()
        for name, of in one.measured.items()
    }


def _causes(chapter: Chapter[OfSymptom], one: Symptom, lanes: Lanes) -> None:
    """Each cause, its line, and what the line says of both states, side by side."""
    chapter.write("lines")
    say = chapter.say
    for at, (cause, place) in enumerate(zip(one.causes, st.columns(len(one.causes), gap="medium")), 1):
        answers = {lane: say("found" if holds(cause, state) else "not_found") for lane, state in lanes.items()}
        with place:
            chapter.write(f"why.{one.name}.{cause.name}")
            st.code(cause.check, language="python", wrap_lines=True)
            chapter.write("told", number=at, **answers)
    chapter.write(f"apart.{one.name}")
