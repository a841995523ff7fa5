"""A text, or the bytes of a file, as pairs: which lines are taken, which are left out, and why."""

import random
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple
from unicodedata import category

from transformer_core.tasks.own_pairs import MOST_BYTES, UNLIMITED, UNSEEN, NotPairs, OwnPairs, PairLimits
from transformer_core.tasks.own_vocabulary import JOINERS, Unit, clean, cut
from transformer_core.tasks.pair_columns import Columns, columns_of, filled_of, has_header
from transformer_core.tasks.pair_encoding import binary, decoded, too_large
from transformer_core.tasks.pair_table import TAB, NumberedRow, PairTable, table_of

__all__ = ["Left", "Look", "ReadPairs", "decoded", "look_at", "pairs_of", "read_pairs"]

LOOKED_AT = 4  # times as many lines of a large file as pairs are taken, drawn by a seed: the pairs are found there
FEW, SHORT = 200, 24  # different tokens, and tokens of a cell, that a small model learns
SHOWN = 4  # lines of a table
FIRST = 3  # lines that are left out for the same reason
CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]")  # signs that no text has
NOTHING = r"\N"  # how databases write an empty cell
BINARY = 0.01  # of the signs of a file that is no text, at least, are such
HOLES = str.maketrans(dict.fromkeys(range(0xE000, 0xF900), "\N{REPLACEMENT CHARACTER}"))  # private use

Row = tuple[tuple[str, ...], tuple[str, ...]]  # the tokens of a source and of a target
Units = tuple[Unit, Unit]


class Left(NamedTuple):
    """A line that is left out: the name of the reason, and the side, 0 or 1, that it is found in."""

    line: int
    reason: str
    side: int = 0


class Reason(NamedTuple):
    """Why lines are left out: how many, and the numbers of the first of them."""

    name: str
    lines: int
    first: tuple[int, ...]


class Look(NamedTuple):
    """How a text is read: what stands in it, what was taken for pairs, and what was not."""

    form: str  # what parts its columns, or "json"
    lines: int  # that are not empty, but for a header
    head: tuple[tuple[str, ...], ...]  # the first lines, cell by cell, a header among them
    kinds: tuple[str, ...]  # of each of those: "header", "pair", or "left"
    width: int  # columns
    columns: Columns
    header: bool
    named: bool  # its columns, by JSON: a header is no line of it
    units: Units  # how sources were cut, and targets
    rows: tuple[Row, ...]  # each once
    left: tuple[Left, ...]  # in the order of their lines
    repeated: int  # lines that stood there already
    aside: int  # lines with other columns, which are left alone
    seed: int | None  # by which lines were drawn, where there are more than can be learned

    @property
    def reasons(self) -> tuple[Reason, ...]:
        """Why lines are left out, the most frequent reason first."""
        numbers: dict[str, list[int]] = {}
        for one in self.left:
            numbers.setdefault(one.reason, []).append(one.line)
        found = [Reason(name, len(lines), tuple(lines[:FIRST])) for name, lines in numbers.items()]
        return tuple(sorted(found, key=lambda one: -one.lines))


class ReadPairs(NamedTuple):
    """Pairs, and what became of the lines that they were read from."""

    pairs: OwnPairs
    look: Look

    @property
    def units(self) -> Units:
        return self.look.units

    @property
    def repeated(self) -> int:
        return self.look.repeated

    @property
    def aside(self) -> int:
        return self.look.aside


def read_pairs(
    text: str,
    unit: Unit | None = None,
    *,
    columns: Columns | None = None,
    header: bool | None = None,
    seed: int = 0,
    limits: PairLimits = UNLIMITED,
) -> ReadPairs:
    """The pairs of a text, as `look_at` reads it. NotPairs if there are none that can be learned."""
    look = look_at(text, unit, columns=columns, header=header, seed=seed, limits=limits)
    return ReadPairs(pairs_of(look), look)


def pairs_of(look: Look) -> OwnPairs:
    """NotPairs if nothing can be learned from what was taken."""
    if not look.rows:
        raise NotPairs("none_left", f"none of the {look.lines} lines can be learned", count=look.lines)
    if len(look.rows) == 1 and look.repeated:
        count = look.repeated + 1
        raise NotPairs("duplicates", f"all {count} lines are the same", count=count)
    return OwnPairs.of(look.rows)


def look_at(
    text: str,
    unit: Unit | None = None,
    *,
    columns: Columns | None = None,
    header: bool | None = None,
    seed: int = 0,
    limits: PairLimits = UNLIMITED,
) -> Look:
    """Read columns apart by a tab, a comma or a semicolon, or JSON. NotPairs if the text is neither, or too large.

    What is not said is found out: the columns (0 is one that is not said), and whether the first line is a header.
    Without `unit` a side is cut by words where half of its cells have several, unless those are too many and its
    letters are not. A line that cannot be learned, or is beyond one of the `limits`, is left out. Of more lines than
    these take, or MOST_BYTES, some are drawn, by `seed`.
    """
    if len(text) > limits.text or len(text.encode(errors="replace")) > limits.text:
        raise too_large(limits.text)
    if "\0" in text or len(CONTROL.findall(text)) > BINARY * len(text):
        raise binary()
    table = table_of(text)
    taken = _chosen(table, columns or (0, 0))
    if max(taken) > table.width or min(taken) < 1 or taken[0] == taken[1]:
        message = f"columns {taken[0]} and {taken[1]} of {table.width} are no source and target"
        raise NotPairs("no_column", message, source=taken[0], target=taken[1], count=table.width)
    headed = has_header(table, taken) if header is None or table.names else header
    lines = table.lines[1:] if headed and not table.names else table.lines
    return _looked(table, lines, taken, headed, unit, seed, limits)


def _chosen(table: PairTable, columns: Columns) -> Columns:
    """The columns that are said, and for one that is not the one found, or where that is taken the other."""
    if all(columns):
        return columns
    source, target = columns_of(table)
    if columns[0]:
        return columns[0], source if columns[0] == target else target
    return (target if columns[1] == source else source, columns[1]) if columns[1] else (source, target)


def _looked(
    table: PairTable,
    lines: Sequence[NumberedRow],
    columns: Columns,
    headed: bool,
    unit: Unit | None,
    seed: int,
    limits: PairLimits,
) -> Look:
    places = [*range(len(lines))]
    if len(lines) > limits.pairs or _size(lines, columns) > MOST_BYTES:
        random.Random(seed).shuffle(places)
    least = max(columns) if table.form == TAB else max(*columns, *filled_of(table))
    cells = {at: _cells(lines[at], columns, least, table) for at in places[: LOOKED_AT * limits.pairs]}
    sides = [[pair[side] for _, pair in sorted(cells.items()) if not isinstance(pair, Left)] for side in (0, 1)]
    units = (unit or _unit_of(sides[0]), unit or _unit_of(sides[1]))
    rows = {
        at: one if isinstance(one, Left) else _row(lines[at].number, one, units, limits) for at, one in cells.items()
    }
    learned, left, repeated = _taken(_of_common_tokens(rows, lines, limits.tokens), limits.pairs)
    met = len(learned) + repeated + len(left)
    shown = lines[: SHOWN - headed]
    gone = {one.line for one in left}
    kinds = [
        "left" if line.number in gone or isinstance(_cells(line, columns, least, table), Left) else "pair"
        for line in shown
    ]
    head = [table.names or table.lines[0].cells] * headed + [line.cells for line in shown]
    broken = [Left(number, reason) for number, reason in table.broken]
    return Look(
        form=table.form,
        lines=len(lines) + len(broken),
        head=tuple(tuple(map(clean, row)) for row in head),
        kinds=("header", *kinds) if headed else tuple(kinds),
        width=table.width,
        columns=columns,
        header=headed,
        named=bool(table.names),
        units=units,
        rows=learned,
        left=tuple(sorted([*left, *broken])),
        repeated=repeated,
        aside=sum(any(cell.strip() for at, cell in enumerate(line.cells, 1) if at not in columns) for line in lines),
        seed=seed if met < len(lines) else None,
    )


def _cells(line: NumberedRow, columns: Columns, least: int, table: PairTable) -> tuple[str, str] | Left:
    """Both cells of a line, or why it has not got them. Beside tabs it may have more columns than others."""
    beyond = table.form != TAB and any(cell.strip() for cell in line.cells[table.width :])
    if len(line.cells) < least or beyond:
        return Left(line.number, "columns")
    source, target = ("" if line.cells[at - 1] == NOTHING else line.cells[at - 1] for at in columns)
    for side, cell in enumerate((source, target)):
        if CONTROL.search(cell):
            return Left(line.number, "unseen", side)
    pair = clean(source.translate(HOLES)), clean(target.translate(HOLES))
    return pair if all(pair) else Left(line.number, "empty_cell", int(bool(pair[0])))


def _size(lines: Sequence[NumberedRow], columns: Columns) -> int:
    """Letters in both columns of all lines: no more than the bytes of their tokens."""
    return sum(len(cell) for line in lines for at, cell in enumerate(line.cells, 1) if at in columns)


def _row(number: int, cells: tuple[str, str], units: Units, limits: PairLimits) -> Row | Left:
    """The tokens of a line, or why they cannot be learned."""
    row = tuple(cut(cells[0], units[0])), tuple(cut(cells[1], units[1]))
    for side, tokens in enumerate(row):
        if len(tokens) > limits.longest:
            return Left(number, "long", side)
        if any(len(token) > limits.longest_token for token in tokens):
            return Left(number, "long_token", side)
        unusual = (sign for token in tokens if not token.isprintable() for sign in token)
        if any(category(sign) in UNSEEN and sign not in JOINERS for sign in unusual):
            return Left(number, "unseen", side)
    return row


def _of_common_tokens(rows: Mapping[int, Row | Left], lines: Sequence[NumberedRow], most: int) -> dict[int, Row | Left]:
    """Without the lines that have a token beyond the most frequent ones that a side may have."""
    known = [(at, row) for at, row in sorted(rows.items()) if not isinstance(row, Left)]
    common = [_most_frequent(Counter(token for _, row in known for token in row[side]), most) for side in (0, 1)]
    rare = {at: [side for side in (0, 1) if not common[side].issuperset(row[side])] for at, row in known}
    return {at: Left(lines[at].number, "rare", rare[at][0]) if rare.get(at) else row for at, row in rows.items()}


def _most_frequent(counts: Counter[str], most: int) -> set[str]:
    return {*sorted(counts, key=lambda token: (-counts[token], token))[:most]}


def _taken(rows: Mapping[int, Row | Left], most: int) -> tuple[tuple[Row, ...], list[Left], int]:
    """The pairs of the first lines, as many as can be learned, in the order of the file; what was left out until then,
    and how many lines came again."""
    found, left, repeated, size = dict[Row, int](), list[Left](), 0, 0
    for at, row in rows.items():
        if isinstance(row, Left):
            left.append(row)
        elif row in found:
            found[row], repeated = min(at, found[row]), repeated + 1
        else:
            size += len("\t".join(map(" ".join, row)).encode()) + 1
            if len(found) == most or size > MOST_BYTES:
                break
            found[row] = at
    return tuple(sorted(found, key=lambda row: found[row])), left, repeated


def _unit_of(cells: Sequence[str]) -> Unit:
    if sum(" " in cell for cell in cells) * 2 < len(cells):
        return "letters"
    return "letters" if not _fits(cells, "words") and _fits(cells, "letters") else "words"


def _fits(cells: Sequence[str], unit: Unit) -> bool:
    """Whether the cells have few different tokens, those that are too long aside, which at most half of them are."""
    tokens, long = set[str](), 0
    for cell in cells:
        row = cut(cell, unit)
        long += len(row) > SHORT
        tokens.update(row if len(row) <= SHORT else ())
        if len(tokens) > FEW or long * 2 > len(cells):
            return False
    return True
