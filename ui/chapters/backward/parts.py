"""A weight's gradient as the sum of its parts over positions, and what AdamW makes of it, update by update."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from torch import Tensor

from transformer_core.adamw import BETAS, EPS
from transformer_core.experiments.updates import RATE
from ui.chapters.backward.board import axes
from ui.chapters.shared.forward.stops import ForwardStop
from ui.chapters.shared.tensors import grid
from ui.figures import Board, Panel
from ui.figures.formula import Cases, Formula, I, K, Matrix, Number, by_cell, root, total
from ui.text import Words

QUANTITIES = ("w", "g", "m", "v", "m̂", "v̂", "−ηλw", "Δw")  # of an update, in the order of `Updates.weight`


def columns_of(
    stop: ForwardStop, values: Mapping[str, Tensor], entry: tuple[int, ...]
) -> tuple[np.ndarray | None, np.ndarray]:
    """What came in and what is handed back at each position, whose products add up to the gradient of the weight.

    Into a bias and the shift of a norm came 1, for which None stands; into a row of a table 1 where its word stands.
    """
    of_input = {path: grid(values[path])[0] for path in stop.inputs}
    match stop.what:
        case "matrix":
            after, given = stop.inputs
            return of_input[given][:, entry[1]], of_input[after][:, entry[0]]
        case "table":
            places, after = stop.inputs
            return of_input[places][:, entry[0]], of_input[after][:, entry[1]]
        case "gain":
            after, given = stop.inputs
            return of_input[given][:, entry[0]], of_input[after][:, entry[0]]
    return None, of_input[stop.inputs[0]][:, entry[0]]


class _GradientColumn(NamedTuple):
    """What is known of a weight at each position, one number below the other."""

    key: str
    numbers: np.ndarray
    title: str
    symbol: str
    made: Formula | None = None


def board(
    stop: ForwardStop,
    entry: tuple[int, ...],
    given: np.ndarray | None,
    after: np.ndarray,
    updates: np.ndarray,
    tokens: Sequence[str],
    weight_decay: float,
    say: Words,
) -> Board:
    """What came in, what is handed back, and their product at each position; below, a row for each update."""
    x, dy = Matrix("x"), Matrix("dy")
    symbols = {"gain": ("ν", "∂y"), "table": ("here", "∂e")}.get(stop.what, ("x", "∂y"))
    incoming, outgoing = (entry[0], entry[-1]) if stop.what == "table" else (entry[-1], entry[0])
    axis = say(f"axis.{axes(stop.inputs[-1])[0] or 'numbers'}")
    columns: list[_GradientColumn] = []
    if given is not None:
        columns.append(_GradientColumn("x", given, f"{symbols[0]}_{incoming}", symbols[0]))
    columns.append(_GradientColumn("dy", after, f"{symbols[1]}_{outgoing}", symbols[1]))
    if given is not None:
        columns.append(_GradientColumn("part", given * after, f"{symbols[1]} · {symbols[0]}", "p", dy[I, 0] * x[I, 0]))
    panels = [
        Panel(
            column.key,
            column.numbers[:, None],
            column.title,
            tokens,
            [column.title],
            axis if not at else "",
            symbol=column.symbol,
            scale="probability" if column.symbol == "here" else "signed",
            made=column.made,
            print_values=True,
            beside=at > 0,
        )
        for at, column in enumerate(columns)
    ]
    count = len(updates)
    adam = Panel(
        "adam",
        updates,
        "AdamW",
        [str(t) for t in range(1, count + 1)],
        QUANTITIES,
        say("axis.update"),
        made=_made(total(K, len(after), Matrix(columns[-1].key)[K, 0]), count, weight_decay),
        symbol=QUANTITIES,
        symbol_axis="column",
        scale="plain",
        print_values=True,
        place=(1, 0),
    )
    return Board([*panels, adam], result="adam")


def _made(gradient: Formula, count: int, weight_decay: float) -> Cases:
    """The formula of each quantity of each update; the weight is given at first, and later gradients are measured."""
    a, before = Matrix("adam"), I.moved(-1)
    beta_1, beta_2 = (Number(beta, f"β_{n}") for n, beta in enumerate(BETAS, 1))
    rate, update = Number(RATE, "η"), I.moved(1)
    first: list[Formula | None] = [None, gradient, (1 - beta_1) * a[I, 1], (1 - beta_2) * a[I, 1] ** 2]
    later: list[Formula | None] = [
        a[before, 0] + a[before, 7],
        None,
        beta_1 * a[before, 2] + (1 - beta_1) * a[I, 1],
        beta_2 * a[before, 3] + (1 - beta_2) * a[I, 1] ** 2,
    ]
    every: list[Formula | None] = [
        a[I, 2] / (1 - beta_1**update),
        a[I, 3] / (1 - beta_2**update),
        -(rate * (Number(weight_decay, "λ") * a[I, 0])),
        a[I, 6] - rate * (a[I, 4] / (root(a[I, 5]) + Number(EPS, "ε"))),
    ]
    return by_cell(*first, *every, *(count - 1) * [*later, *every])
