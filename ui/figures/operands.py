"""Which part of each matrix a formula reads, and whether all that it names is there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ui.figures.formula import Cases, Cell, Fold, Formula, Index, Place, indices, pieces, steps

Size = tuple[int, int]
Part = tuple[range, range]  # of a matrix: the rows and the columns
Values = Sequence[int]  # of an index


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
            for part in made.inner:
                yield from _cells(part, bound)


def read(name: str, made: Formula | Cases, sizes: Mapping[str, Size], rows: range, columns: range) -> dict[str, Part]:
    """The part of each matrix that the matrix `name` is made of.

    Raises ValueError, naming both, when a formula has an operand that is not there, or a named step that is not the
    same for the whole cell: the client works a step out once a cell.
    """
    parts: dict[str, Part] = {}
    for one, some_rows, some_columns in _reaching(made, rows, columns):
        for step in steps(one):
            if inside := sorted(indices(step) - {"i", "j", "cell"}):
                raise ValueError(
                    f"the formula of panel {name!r} names the step {step.name!r}, which depends on {inside[0]!r}, "
                    "the index of a sum around it"
                )
        own = {"i": some_rows, "j": some_columns, "cell": range(len(rows) * len(columns))}
        for cell, bound in cells(one):
            if cell.panel not in sizes:
                raise ValueError(f"the formula of panel {name!r} names {cell.panel!r}, which is not on this board")
            part = []
            for place, size, axis in zip((cell.row, cell.column), sizes[cell.panel], ("row", "column")):
                reached = _reached(place, {**own, **bound} if bound else own)
                if reached is None or (reached and not 0 <= reached[0] <= reached[-1] < size):
                    raise ValueError(f"the formula of panel {name!r} names a {axis} that {cell.panel!r} does not have")
                part.append(reached)
            parts[cell.panel] = around(parts.get(cell.panel), (part[0], part[1]))
    return parts


def _reaching(
    made: Formula | Cases, rows: range, columns: range
) -> Iterator[tuple[Formula, Sequence[int], Sequence[int]]]:
    """Each formula of a matrix, once, with the rows and the columns of the cells that it is about."""
    if isinstance(made, Formula) or made.axis != "cell":
        yield from pieces(made, rows, columns)
        return
    for one, places in made.grouped:
        yield one, [rows[at // len(columns)] for at in places], [columns[at % len(columns)] for at in places]


def around(one: Part | None, other: Part) -> Part:
    """The smallest part of a matrix that holds both."""
    if one is None or one == other:
        return other
    rows, columns = (range(min(a.start, b.start), max(a.stop, b.stop)) for a, b in zip(one, other))
    return rows, columns


def _reached(place: Place, values: Mapping[str, Values]) -> range | None:
    """From the first row, or column, that this names to the last."""
    if isinstance(place, int):
        return range(place, place + 1)
    held = values.get(place.variable)
    if not held:
        return None if held is None else range(0)
    if place.table is not None:
        if max(held) >= len(place.table):
            return None
        held = [place.table[at] for at in held]
    low, high = (held[0], held[-1]) if isinstance(held, range) else (min(held), max(held))
    return range(low + place.shift, high + place.shift + 1)
