"""How the probabilities of the next token become those it is drawn from: arrays and labels in, a board out."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ui.figures import Board, Operand, Panel
from ui.figures.board import Few
from ui.figures.formula import Formula, Index, J, K, L, Matrix, Named, Number, by_cell, largest, total
from ui.figures.paper import Entry, share, softmax

SYMBOLS = ("p", "s", "r", "q", "c")  # the model's, after temperature, after top-k, after top-p, their sums so far
Places = tuple[int, ...]


@dataclass(frozen=True)
class Cut:
    """How the distribution is changed: T, and how many tokens, the likeliest first, top-k and then top-p leave."""

    temperature: float
    top_k: int
    nucleus: int


def draws_board(
    logits: np.ndarray,
    steps: np.ndarray,
    few: Few,
    cut: Cut,
    names: tuple[Sequence[str], Sequence[str]],
    labels: Mapping[str, str],
) -> Board:
    """logits (vocab,) and the four `steps` (4, vocab) from p to q, all sorted, the likeliest token first.

    A row for each step, and one that sums up the last; a column for each of a `few` tokens, one for all others. `names`
    are those of the rows and of the columns.
    """
    sums = np.append(steps[3].cumsum()[list(few.shown)], [1.0] * bool(few.others))
    made: list[Formula] = []
    for cell, rest in _rows(few.size, cut):
        made += [cell(few.at(J))] * len(few.shown) + [rest(few.others)] * bool(few.others)
    first = np.array([*few.shown, *few.others[:1]])
    left = np.array([few.size, few.size, cut.top_k, min(cut.top_k, cut.nucleus), few.size])
    panel = Panel(
        "draws",
        np.vstack([few.of(steps), sums]),
        labels["draws"],
        *names,
        labels["step"],
        labels["token"],
        scale="probability",
        vacant=first >= left[:, None],
        borders=few.borders,
        made=by_cell(*made),
        symbol=SYMBOLS,
        meaning="decoder",
        print_values=True,
        label_events=True,
    )
    whole = [Operand(name, row[None], name, "decoder") for name, row in zip(SYMBOLS[1:4], steps[1:])]
    return Board([panel], [Operand("z", logits[None], "z", "decoder"), *whole], vacant=labels["cut"])


def _rows(size: int, cut: Cut) -> Iterator[tuple[Entry, Callable[[Places], Formula]]]:
    """For each row the formula of a token, by its place, and that of several others together."""
    z, (s, r, q) = _entry("z"), map(_entry, SYMBOLS[1:4])
    yield (lambda at: softmax(z, size, at)), (lambda others: share(z, size, others))
    if cut.temperature:
        yield _warm(z, size, cut.temperature)
    else:
        top = Named("max", largest(K, size, z(K)))
        equals = total(K, size, top.at_most(z(K)))
        yield (lambda at: top.at_most(z(at)) / equals), (lambda others: total(L, others, top.at_most(z(L))) / equals)
    yield _first(s, size, cut.top_k)
    yield _first(r, size, cut.nucleus)
    yield (lambda at: total(L, size, q(L) * L.at_most(at))), (lambda _: total(L, size, q(L)))


def _entry(name: str) -> Entry:
    return lambda at: Matrix(name)[0, at]


def _warm(z: Entry, size: int, temperature: float) -> tuple[Entry, Callable[[Places], Formula]]:
    def warm(at: Index) -> Formula:
        return z(at) / Number(temperature, "T")

    return (lambda at: softmax(warm, size, at)), (lambda others: share(warm, size, others))


def _first(of: Entry, size: int, count: int) -> tuple[Entry, Callable[[Places], Formula]]:
    """The first `count` of them over their sum, the others 0."""
    if count >= size:
        return of, lambda others: total(L, others, of(L))
    whole = total(K, count, of(K))
    return (
        (lambda at: of(at) * at.at_most(count - 1) / whole),
        (lambda others: total(L, others, of(L) * L.at_most(count - 1)) / whole),
    )
