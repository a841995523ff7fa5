"""Which part of each matrix a formula reads, and whether all that it names is there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from ui.figures.formula import Cases, Cell, Fold, Formula, Index, Place, Values, indices, inner, pieces, steps

Size = tuple[int, int]
Part = tuple[range, range]  # of a matrix: the rows and the columns


def cells(made: Formula) -> Iterator[tuple[Cell, Mapping[str, Values]]]:
    """Every matrix cell that a formula names, with the values of the sums' indices around it."""
    yield from _cells(made, {})


def _cells(made: Formula, bound: Mapping[str, Values]) -> Iterator[tuple[Cell, Mapping[str, Values]]]:
    match made:
        case Cell(_, row, column):
            yield made, bound
            for place in (row, column):
                if isinstance(place, Index) and place.held:
                    yield Cell(*place.held, Index(place.variable)), bound
        case Fold(_, index, _, body):
            yield from _cells(body, {**bound, index.variable: made.indices})
        case _:
            for part in inner(made):
                yield from _cells(part, bound)


def read(name: str, made: Formula | Cases, sizes: Mapping[str, Size], rows: range, columns: range) -> dict[str, Part]:
    """The part of each matrix that the matrix `name` is made of.

    Raises ValueError, naming both, when a formula has an operand that is not there, or a named step that is not the
    same for the whole cell: the client works a step out once a cell.
    """
    parts: dict[str, Part] = {}
    for one, some_rows, some_columns in pieces(made, rows, columns):
        for step in steps(one):
            if inside := sorted(indices(step) - {"i", "j", "cell"}):
                raise ValueError(
                    f"the formula of panel {name!r} names the step {step.name!r}, which depends on {inside[0]!r}, "
                    "the index of a sum around it"
                )
        own = {"i": np.asarray(some_rows), "j": np.asarray(some_columns)}
        own["cell"] = np.arange(len(rows) * len(columns))
        for cell, bound in cells(one):
            if cell.panel not in sizes:
                raise ValueError(f"the formula of panel {name!r} names {cell.panel!r}, which is not on this board")
            part = []
            for place, size, axis in zip((cell.row, cell.column), sizes[cell.panel], ("row", "column")):
                reached = _reached(place, {**own, **bound})
                if reached is None or (reached.size and not 0 <= reached.min() <= reached.max() < size):
                    raise ValueError(f"the formula of panel {name!r} names a {axis} that {cell.panel!r} does not have")
                part.append(range(int(reached.min()), int(reached.max()) + 1) if reached.size else range(0))
            parts[cell.panel] = around(parts.get(cell.panel), (part[0], part[1]))
    return parts


def around(one: Part | None, other: Part) -> Part:
    """The smallest part of a matrix that holds both."""
    if one is None:
        return other
    rows, columns = (range(min(a.start, b.start), max(a.stop, b.stop)) for a, b in zip(one, other))
    return rows, columns


def _reached(place: Place, values: Mapping[str, Values]) -> Values | None:
    if isinstance(place, int):
        return np.asarray([place])
    held = values.get(place.variable)
    if held is None or (place.table is not None and held.size and held.max() >= len(place.table)):
        return None
    return place.at(held)
