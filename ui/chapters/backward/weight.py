"""One weight: its gradient as a sum over positions, a difference beside it, and AdamW's first step."""

from typing import Any, NamedTuple

import numpy as np
import torch

from transformer_core import EncoderDecoder
from transformer_core.backward import covers
from ui.chapters.backward.board import axes, labels
from ui.chapters.backward.stops import route
from ui.chapters.backward.values import back_values
from ui.chapters.backward.walk import Walk, backward_program, origin, word_of
from ui.chapters.shared.forward.stops import Stop
from ui.chapters.shared.forward.values import Values
from ui.chapters.shared.tensors import grid
from ui.chapters.shared.wrong_word import early, given_right
from ui.figures.board import Panel
from ui.figures.figure import Board, Figure
from ui.figures.formula import Formula, I, K, Matrix, Number, by_column, root, total
from ui.figures.number import number
from ui.frame.chapter import Chapter
from ui.model.answer import answer
from ui.model.recorded import made
from ui.page import controls
from ui.page.section import Section
from ui.page.typed import typed
from ui.settings.fields import Settings, cell, whole
from ui.settings.frame import Frame
from ui.showing.show import show

RATE, BETAS, EPS = 1e-3, (0.9, 0.98), 1e-9  # those of the runs here, whose rate climbs to its value
H = 1e-4  # of the difference, in float64


class Weight(Settings):
    matrix: int = whole(999, 0, 999)  # of those on the way back; the last one where there is no such
    out: int = whole(0, 0, 9999)  # row of the matrix: which output
    into: int = whole(0, 0, 9999)  # column: which input
    weight_cell: tuple[str, int, int] | None = cell()


class Moved(NamedTuple):
    """The loss when one weight is moved."""

    difference: float  # (L(w + h) − L(w − h)) / 2h
    foretold: float  # what AdamW's first step changes, to first order
    measured: float


def weight(chapter: Chapter[Weight]) -> None:
    at_hand, say, src = chapter.at_hand, chapter.say, typed(chapter, "src")
    target = answer(at_hand, src) if src else ()
    if len(target) < 2 or not covers(at_hand.model):
        return
    at, here = word_of(chapter.of(Walk), target), chapter.figure_first()
    stops = [stop for stop in route(at_hand.model) if stop.what == "matrix"]
    stop = stops[controls.named(chapter, "matrix", [one.path.removeprefix("∂") for one in stops])]
    values = back_values(at_hand, src, at)
    rows, columns = values[stop.path].shape
    out, into = controls.side_by_side(chapter, out={"high": rows - 1}, into={"high": columns - 1})
    gradient = float(values[stop.path][out, into])

    def measure(model: EncoderDecoder) -> Moved:
        return moved(early(at_hand, model), src, target, at, stop.path.removeprefix("∂"), out, into, gradient)

    found = made(at_hand, ("moved weight", src, at, stop.path, out, into), measure)
    tensor = f"{stop.path}[{out}, {into}]"
    program = backward_program(at_hand, values, at)
    picture = board(stop, values, at_hand.config.vocabularies, out, into, say)
    figure = Figure(
        "weight",
        picture,
        say("weight.alt", tensor=tensor),
        origin(at_hand).provenance(tensor),
        code=[step_of],
        program=f"{program}{_adam_program(stop, out, into)}",
    )
    show(here, figure)
    chapter.write(
        "weight.said",
        gradient=number(gradient, 4),
        difference=number(found.difference, 4),
        step=number(step_of(gradient), 3),
        foretold=number(found.foretold, 3),
        measured=number(found.measured, 3),
    )


def board(stop: Stop, values: Values, words: Any, out: int, into: int, say: Any) -> Board:
    """What came in, what is handed back, and their product at each position; its sum, and what AdamW makes of that."""
    after, given = (grid(values[path])[0] for path in stop.inputs)
    tokens = labels(axes(stop.inputs[0])[0], stop, values, words, len(after))
    parts = after[:, [out]] * given[:, [into]]
    gradient = parts.sum(keepdims=True)
    x, dy, part, g, m, v = (Matrix(name) for name in ("x", "dy", "part", "adam", "adam", "adam"))
    first: list[Formula] = [
        total(K, len(parts), part[K, 0]),
        (1 - Number(BETAS[0], "β_1")) * g[0, 0],
        (1 - Number(BETAS[1], "β_2")) * g[0, 0] ** 2,
        m[0, 1] / (1 - Number(BETAS[0], "β_1")),
        v[0, 2] / (1 - Number(BETAS[1], "β_2")),
        -(Number(RATE, "η") * (m[0, 3] / (root(v[0, 4]) + Number(EPS, "ε")))),
    ]
    g_ = float(gradient[0, 0])
    adam = [g_, (1 - BETAS[0]) * g_, (1 - BETAS[1]) * g_**2, g_, g_**2, step_of(g_)]
    axis = say(f"axis.{axes(stop.inputs[0])[0] or 'numbers'}")
    columns = [
        Panel("x", given[:, [into]], f"x_{into}", tokens, [str(into)], axis, symbol="x", print_values=True),
        Panel("dy", after[:, [out]], f"∂y_{out}", tokens, [str(out)], symbol="∂y", print_values=True, beside=True,
              place=(0, 1)),
        Panel("part", parts, "∂y · x", tokens, ["∂y · x"], symbol="p", made=dy[I, 0] * x[I, 0], print_values=True,
              beside=True, place=(0, 2)),
        Panel("adam", np.array([adam]), "AdamW", [""], ["g", "m", "v", "m̂", "v̂", "Δw"], made=by_column(*first),
              symbol=["g", "m", "v", "m̂", "v̂", "Δw"], symbol_axis="column",
              scale="plain", print_values=True, place=(1, 0)),
    ]  # fmt: skip
    return Board(columns, result="adam", cell="weight_cell")


def step_of(gradient: float) -> float:
    """AdamW's first step: of the gradient only the sign is left."""
    return -RATE * gradient / (abs(gradient) + EPS)


def moved(
    model: EncoderDecoder,
    src: tuple[int, ...],
    target: tuple[int, ...],
    at: int,
    name: str,
    out: int,
    into: int,
    gradient: float,
) -> Moved:
    """In float64. The model's weights are changed."""
    weights = model.double().get_parameter(name)
    start = float(weights[out, into].detach())

    def loss(value: float) -> float:
        with torch.no_grad():
            weights[out, into] = value
            return -float(given_right(model, src, target[:-1])[at, target[at + 1]])

    step = step_of(gradient)
    difference = (loss(start + H) - loss(start - H)) / (2 * H)
    return Moved(difference, gradient * step, loss(start + step) - loss(start))


def _adam_program(stop: Stop, out: int, into: int) -> str:
    path = stop.path.removeprefix("∂")
    return (
        f"g = found['{path}'][{out}, {into}].double()\n"
        f"m, v = (1 - {BETAS[0]}) * g, (1 - {BETAS[1]}) * g**2\n"
        f"m_, v_ = m / (1 - {BETAS[0]}), v / (1 - {BETAS[1]})\n"
        f"shown = torch.stack([g, m, v, m_, v_, -{RATE} * m_ / (v_.sqrt() + {EPS})])[None]\n"
        "print(shown)\n"
    )


WEIGHT = Section("weight", weight, settings=Weight, reads=(Frame, Walk), look="open", text="text")
