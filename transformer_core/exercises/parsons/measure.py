"""What several laws measure of the tensors that an assembled function gives."""

from collections.abc import Callable

import torch
from torch import Tensor

from transformer_core.exercises.parsons.assembly import Stopped
from transformer_core.exercises.parsons.puzzle import Finding, Function, Law

ALIKE = 1e-4  # of a number, up to which two are taken for one


def shape(run: Callable[[Function], object], *wanted: tuple[int, ...]) -> Law:
    """What `run` gets from the function is a tensor of this shape, or several of these. Stopped where it is nothing."""

    def measure(function: Function) -> Finding:
        given = run(function)
        if given is None:
            raise Stopped("nothing")
        told, expected = described(given), ", ".join(map(str, wanted))
        return Finding(float(told != expected), {"given": told, "wanted": expected})

    return Law("shape", measure)


def described(given: object) -> str:
    """The shape of a tensor, those of several, or the name of what is none."""
    parts = given if isinstance(given, tuple) else (given,)
    return ", ".join(str(tuple(one.shape)) if isinstance(one, Tensor) else type(one).__name__ for one in parts)


def first_largest(of: Tensor) -> int:
    """Where numbers, none below 0, are largest; of those that only rounding tells apart the first, on any processor."""
    if of.isnan().any():
        return int(of.argmax())  # which is where one is
    return int((of >= of.max() * (1 - ALIKE)).flatten().int().argmax())


def row_sums(rows: Tensor, wanted: float = 1.0) -> Finding:
    """The row whose sum is furthest from the wanted one: rows (n, m)."""
    sums = rows.sum(-1)
    off = (sums - wanted).abs()
    row = first_largest(off)
    return Finding(float(off[row]), {"row": row, "sum": float(sums[row])})


def furthest(given: Tensor, wanted: Tensor) -> Finding:
    """The cell of two matrices (n, m) that differs most."""
    off = (given.double() - wanted.double()).abs()
    row, column = divmod(first_largest(off), off.size(-1))
    here = {"given": float(given[row, column]), "wanted": float(wanted[row, column])}
    return Finding(float(off[row, column]), {"row": row, "column": column, **here})


def moved(by: Tensor) -> Finding:
    """Where a change is largest that should be none: by (rows, words), how far each word has moved each row."""
    row, word = divmod(first_largest(by), by.size(-1))
    return Finding(float(by[row, word]), {"row": row, "word": word, "by": float(by[row, word])})


def influence(outputs: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    """How far each output moves when one input is replaced: x (n, d) -> (n outputs, n inputs)."""
    before, columns = outputs(x), []
    for word in range(len(x)):
        changed = x.clone()
        changed[word] = -x[word]
        columns.append((outputs(changed) - before).abs().amax(-1))
    return torch.stack(columns, dim=1)
