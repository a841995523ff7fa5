"""A text, or the bytes of a file, as pairs: a line each, its sides apart by a tab, a comma or a semicolon (CSV)."""

import csv
import io
import re
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Sequence
from typing import Literal, NamedTuple

from transformer_core.tasks.own_pairs import (
    LONGEST,
    MOST_BYTES,
    MOST_PAIRS,
    MOST_TOKENS,
    NotPairs,
    OwnPairs,
)
from transformer_core.tasks.own_vocabulary import Unit, clean, cut

TAB = "\t"
SIGNS = (TAB, ",", ";")  # that part a source from its target: the first that stands in half of the lines
CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]")  # signs that no text has
HOLES = str.maketrans(dict.fromkeys(range(0xE000, 0xF900), "\N{REPLACEMENT CHARACTER}"))  # private use


class Reading(NamedTuple):
    """Pairs, and what became of the lines that they were read from."""

    pairs: OwnPairs
    units: tuple[Unit, Unit]  # how sources were cut, and targets
    repeated: int  # lines that stood there already
    aside: int  # lines with more columns than two, which are left alone


def decoded(content: bytes) -> str:
    """The text of a file in UTF-8, or in UTF-16 as spreadsheets write it. NotPairs if there is none."""
    if len(content) > 2 * MOST_BYTES:
        raise _large()
    if content.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        return content.decode("utf-16", errors="replace")
    if b"\0" in content:
        raise _binary()
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise NotPairs("encoding", "the file is not text in UTF-8") from None


def read_pairs(text: str, unit: Unit | None = None) -> Reading:
    """The pairs of a text, cut by words or by letters; NotPairs if they are none, or beyond a limit.

    Without `unit` a side is cut by words where half of its cells have several, unless those are too many and its
    letters are not.
    """
    if len(text) > MOST_BYTES or len(text.encode(errors="replace")) > MOST_BYTES:
        raise _large()
    if CONTROL.search(text):
        raise _binary()
    cells, aside = _cells(text)
    units = [unit or _unit_of([row[at] for row in cells]) for at in (0, 1)]
    rows = [(cut(source, units[0]), cut(target, units[1])) for source, target in cells]
    if len(set(cells)) == 1 < len(cells):
        raise NotPairs("duplicates", f"all {len(cells)} lines are the same", count=len(cells))
    pairs = OwnPairs.of(rows)
    return Reading(pairs, (units[0], units[1]), len(rows) - pairs.count, aside)


def _cells(text: str) -> tuple[list[tuple[str, str]], int]:
    """Both cells of each line that is not empty, and how many lines had more columns."""
    lines = [line for line in text.splitlines() if line.strip()]
    if not lines:
        raise NotPairs("empty", "there are no pairs")
    if len(lines) > MOST_PAIRS * 2:
        raise NotPairs("many", f"{len(lines)} lines; at most {MOST_PAIRS}", count=len(lines), most=MOST_PAIRS)
    sign = next((sign for sign in SIGNS if sum(sign in line for line in lines) * 2 >= len(lines)), None)
    if sign is None:
        raise NotPairs("one_column", "the lines have one column", line=clean(lines[0])[:40])
    found, aside = list[tuple[str, str]](), 0
    for number, row in _rows(text, sign):
        cells = [clean(cell.translate(HOLES)) for cell in row]
        if not any(cells):
            continue
        if len(cells) < 2 or (len(cells) > 2 and sign != TAB):
            message = f"line {number} has {len(cells)} columns instead of a source and a target"
            raise NotPairs("columns", message, line=number, count=len(cells))
        if not (cells[0] and cells[1]):
            raise NotPairs("empty_cell", f"line {number} has an empty side", line=number)
        found.append((cells[0], cells[1]))
        aside += any(cells[2:])
    return found, aside


def _rows(text: str, sign: str) -> list[tuple[int, list[str]]]:
    """The cells of each line with its number. Quotes around a cell may hold the sign, and what ends a line.

    Beside tabs, which nobody quotes by hand, quotes are signs like others where they leave a line without two columns.
    """
    try:
        rows = _parsed(text, sign, csv.QUOTE_MINIMAL)
        if sign != TAB or all(len(row) > 1 for _, row in rows if any(row)):
            return rows
    except csv.Error:
        pass
    if sign != TAB:
        raise NotPairs("quotes", "a quotation mark is not closed, or closes within a cell", sign=sign)
    return _parsed(text, sign, csv.QUOTE_NONE)


def _parsed(text: str, sign: str, quoting: Literal[0, 3]) -> list[tuple[int, list[str]]]:
    lines = csv.reader(
        io.StringIO(text, newline=""), delimiter=sign, quoting=quoting, skipinitialspace=sign != TAB, strict=True
    )
    return [(lines.line_num, row) for row in lines]


def _unit_of(cells: Sequence[str]) -> Unit:
    if sum(" " in cell for cell in cells) * 2 < len(cells):
        return "letters"
    return "letters" if not _fits(cells, "words") and _fits(cells, "letters") else "words"


def _fits(cells: Sequence[str], unit: Unit) -> bool:
    tokens = [cut(cell, unit) for cell in cells]
    return max(map(len, tokens)) <= LONGEST and len({token for row in tokens for token in row}) <= MOST_TOKENS


def _large() -> NotPairs:
    return NotPairs("large", f"more than {MOST_BYTES / 2**20:g} MB", most=f"{MOST_BYTES / 2**20:g}")


def _binary() -> NotPairs:
    return NotPairs("binary", "this is no text")
