"""One symptom by one of its causes, beside the healthy state; each cause's line, worked out for both."""

from collections.abc import Sequence

import numpy as np
import streamlit as st
from torch import Tensor

from transformer_core.exercises.symptoms.every_symptom import SYMPTOMS, numbers_of
from transformer_core.exercises.symptoms.not_a_number import STAGES
from transformer_core.exercises.symptoms.symptom import State, Symptom, holds
from ui.figures import Board, Figure, Panel, number
from ui.model.shipped import shipped
from ui.sections import Chapter, Section, controls, provenance, show
from ui.settings.fields import CellSetting, Settings, cell, choice, whole

NAMES = ("repeats", "nan", "rows")


class OfSymptom(Settings):
    symptom: str = choice("repeats", *NAMES)
    cause: int = whole(0, 0, 2)  # which of the three makes it
    symptom_seed: int = whole(0, 0, 20)
    symptom_cell: CellSetting = cell()


@Section("symptom", settings=OfSymptom, look="open", text="text")
def symptom(chapter: Chapter[OfSymptom]) -> None:
    say = chapter.say
    name = controls.choose(chapter, "symptom")
    one = SYMPTOMS[name]
    cause = controls.named(chapter, "cause", [say(f"cause.{name}.{each.name}") for each in one.causes])
    seed = controls.slider(chapter, "symptom_seed")
    model = shipped("trained").model
    ill, healthy = (one.state(made, seed, model) for made in (one.causes[cause].name, ""))
    chapter.write(f"looks.{name}", here=number(one.measure(ill), 3), healthy=number(one.measure(healthy), 3))
    show(chapter, _figure(chapter, one, one.causes[cause].name, (ill, healthy)))
    _causes(chapter, one, ill, healthy)


def _figure(chapter: Chapter[OfSymptom], one: Symptom, cause: str, states: tuple[State, State]) -> Figure:
    """The same numbers of the ill state and of the healthy one, on one scale."""
    say, seed = chapter.say, chapter.settings.symptom_seed
    here, healthy = (one.show(state) for state in states)
    rows, columns = _labels(chapter, one.name, here)
    panels = [
        Panel(
            key,
            values.numpy(),
            say(f"panel.{key}"),
            rows,
            columns,
            say(f"rows.{one.name}"),
            say(f"columns.{one.name}"),
            scale="magnitude",
            high=float(np.max([here.numpy().max(), healthy.numpy().max()])),
            place=(at, 0),
            print_values=True,
        )
        for at, (key, values) in enumerate((("here", here), ("healthy", healthy)))
    ]
    return Figure(
        "made",
        Board(panels, cell="symptom_cell", result="here"),
        provenance(f"{one.name} · {cause}", *here.shape) + f" · seed {seed}",
        code=[next(each.make for each in one.causes if each.name == cause)],
        program=(
            "from transformer_core.exercises.symptoms.every_symptom import numbers_of\n"
            "from transformer_core.training.checkpoint import load\n\n"
            "model = load('assets/model/copy.safetensors').model\n"
            f"shown = {numbers_of.__name__}({one.name!r}, {cause!r}, model, {seed})\nprint(shown)\n"
        ),
        alt=say(f"alt.{one.name}"),
    )


def _labels(chapter: Chapter[OfSymptom], name: str, shown: Tensor) -> tuple[Sequence[str], Sequence[str]]:
    rows, columns = (list(map(str, range(size))) for size in shown.shape)
    match name:
        case "nan":
            return [chapter.say(f"stage.{stage}") for stage in STAGES], columns
        case "rows":
            return rows, [*columns[:-1], "Σ"]
    return [str(1 + int(row)) for row in rows], columns


def _causes(chapter: Chapter[OfSymptom], one: Symptom, ill: State, healthy: State) -> None:
    """Each cause, its line, and what the line says of both states."""
    chapter.write("lines")
    say = chapter.say
    for at, cause in enumerate(one.causes, 1):
        chapter.write(f"why.{one.name}.{cause.name}")
        st.code(cause.check, language="python", wrap_lines=True)
        said = (say("found" if holds(cause, state) else "not_found") for state in (ill, healthy))
        chapter.write("told", number=at, **dict(zip(("here", "healthy"), said)))
    chapter.write(f"apart.{one.name}")
