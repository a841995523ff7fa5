"""A text as a table of cells: columns apart by a tab, a comma or a semicolon (TSV, CSV), JSON, or JSON lines."""

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import islice, takewhile
from typing import Any, Literal, NamedTuple

from transformer_core.tasks.own_pairs import NotPairs
from transformer_core.tasks.own_vocabulary import clean

Sign = Literal["\t", ",", ";"]
Form = Sign | Literal["json"]

TAB: Sign = "\t"
SIGNS: tuple[Sign, ...] = ("\t", ",", ";")  # that part the columns of a line
EXCEL = re.compile(r"\Asep=[^\r\n]")  # a first line that tells a spreadsheet the sign
HEAD = 500  # lines by which the sign between columns is found, and what a column holds


class NumberedRow(NamedTuple):
    """A row with the number of the line where it begins."""

    number: int
    cells: tuple[str, ...]


class PairTable(NamedTuple):
    """The rows of a text that are not empty. Objects of JSON have `names`, and so no row for them."""

    form: Form
    lines: tuple[NumberedRow, ...]
    names: tuple[str, ...]  # of JSON's columns
    broken: tuple[tuple[int, str], ...] = ()  # the numbers of lines that are no rows, each with its reason

    @property
    def width(self) -> int:
        """Columns that most rows have; at least two, if any row has them."""
        if self.names:
            return len(self.names)
        widths = Counter(len(line.cells) for line in self.lines if len(line.cells) > 1)
        return min(widths, key=lambda width: (-widths[width], width)) if widths else 1


def table_of(text: str) -> PairTable:
    """NotPairs if the text has no lines, or its lines have no columns."""
    text = EXCEL.sub("", text)
    if not text.strip():
        raise NotPairs("empty", "there are no pairs")
    return _of_json(text) or _of_lines(text)


def _of_lines(text: str) -> PairTable:
    head = "".join(islice(io.StringIO(text, newline=""), HEAD))
    shares = {sign: _share(head, sign) for sign in SIGNS}
    sign = max(SIGNS, key=lambda one: shares[one])
    if shares[sign] < 1 / 2:
        first = next(line for line in text.splitlines() if line.strip())
        raise NotPairs("one_column", "the lines have one column", line=clean(first)[:40])
    rows, broken = _rows(text, sign)
    lines = [line for line in rows if any(cell.strip() for cell in line.cells)]
    remarks = [*takewhile(lambda line: len(line.cells) < 2, lines)]
    if len(remarks) == len(lines):
        raise NotPairs("empty", "there are no pairs")
    others = [(number, "quotes") for number in broken] + [(line.number, "columns") for line in remarks]
    return PairTable(sign, tuple(lines[len(remarks) :]), (), tuple(others))


def _share(head: str, sign: Sign) -> float:
    """Of the first lines, how many have the same number of columns, above one, where this sign parts them."""
    try:
        lines = [line for line in _parsed(head, sign, csv.QUOTE_MINIMAL) if any(map(str.strip, line.cells))]
    except csv.Error:
        lines = [NumberedRow(0, tuple(line.split(sign))) for line in head.splitlines() if line.strip()]
    widths = Counter(len(line.cells) for line in lines if len(line.cells) > 1)
    several = sum(widths.values()) / len(lines) if lines else 0.0
    return several if several < 1 / 2 else 1 / 2 + max(widths.values()) / len(lines)


def _rows(text: str, sign: Sign) -> tuple[list[NumberedRow], list[int]]:
    """The cells of each line, and the numbers of lines that have none. Quotes around a cell may hold the sign, and what
    ends a line; where they do not fit, a line in which they do not is none, but for tabs.

    Beside tabs, which nobody quotes by hand, quotes are signs like others where they leave a line without two columns,
    or swallow lines: then a cell has tabs and ends of lines in it.
    """
    try:
        rows = _parsed(text, sign, csv.QUOTE_MINIMAL)
        whole = all(len(line.cells) > 1 for line in rows if any(line.cells))
        swallowed = any("\n" in cell and sign in cell for line in rows for cell in line.cells)
        if sign != TAB or (whole and not swallowed):
            return rows, []
    except csv.Error:
        pass
    return _line_by_line(text, sign) if sign != TAB else (_parsed(text, sign, csv.QUOTE_NONE), [])


def _line_by_line(text: str, sign: Sign) -> tuple[list[NumberedRow], list[int]]:
    found, broken = list[NumberedRow](), list[int]()
    for number, line in enumerate(io.StringIO(text, newline=""), 1):
        try:
            found += [row._replace(number=number) for row in _parsed(line, sign, csv.QUOTE_MINIMAL)]
        except csv.Error:
            broken.append(number)
    if len(broken) * 2 >= len(found) + len(broken):
        raise NotPairs("quotes", "a quotation mark is not closed, or closes within a cell", sign=sign)
    return found, broken


def _parsed(text: str, sign: str, quoting: Literal[0, 3]) -> list[NumberedRow]:
    lines = csv.reader(
        io.StringIO(text, newline=""), delimiter=sign, quoting=quoting, skipinitialspace=sign != TAB, strict=True
    )
    found, begins = [], 1
    for row in lines:
        found.append(NumberedRow(begins, tuple(row)))
        begins = lines.line_num + 1
    return found


def _of_json(text: str) -> PairTable | None:
    """None if the text is no JSON. NotPairs if it is, and no table."""
    if text.lstrip()[0] not in "[{":
        return None
    whole = _value(text)
    if whole is not None:
        records = _records(whole)
        return _of_records([*enumerate(records, 1)], ())
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    values = [(number, _value(line)) for number, line in lines]
    known = [(number, value) for number, value in values if isinstance(value, dict | list)]
    if len(known) * 2 <= len(values):
        return None
    return _of_records(known, tuple((number, "json") for number, value in values if not isinstance(value, dict | list)))


def _value(text: str) -> Any:
    try:
        return json.loads(text, parse_float=str, parse_int=str, parse_constant=str)
    except (ValueError, RecursionError):
        return None


def _records(value: Any) -> list[Any]:
    """The rows in one value: a list of them, the only list in an object, lists of columns, or names with values."""
    if isinstance(value, list):
        return value
    lists = {name: part for name, part in value.items() if isinstance(part, list)} if isinstance(value, dict) else {}
    if len(lists) == 1:
        return next(iter(lists.values()))
    if lists and len({len(part) for part in lists.values()}) == 1:
        return [dict(zip(lists, row)) for row in zip(*lists.values())]
    if isinstance(value, dict) and value and all(isinstance(part, str) for part in value.values()):
        return [list(pair) for pair in value.items()]
    return [value]


def _of_records(records: Sequence[tuple[int, Any]], broken: tuple[tuple[int, str], ...]) -> PairTable:
    rows = [(number, _flat(record)) for number, record in records]
    names = tuple(dict.fromkeys(name for _, row in rows for name in row))
    if len(names) < 2:
        raise NotPairs("json", 'the JSON has no records of two texts, such as {"source": …, "target": …}')
    lines = [NumberedRow(number, tuple(row.get(name, "") for name in names)) for number, row in rows]
    listed = all(isinstance(record, list) for _, record in records)
    return PairTable("json", tuple(lines), () if listed else names, broken)


def _flat(record: Any) -> dict[str, str]:
    """The texts of a record by their names, those of an object within it by both names. What is no text is empty."""
    if isinstance(record, list):
        record = {str(at): part for at, part in enumerate(record, 1)}
    if not isinstance(record, Mapping):
        return {}
    found = dict[str, str]()
    for name, part in record.items():
        if isinstance(part, Mapping):
            found |= {f"{name}.{inner}": _text(one) for inner, one in part.items()}
        else:
            found[name] = _text(part)
    return found


def _text(part: Any) -> str:
    return part if isinstance(part, str) else str(part).lower() if isinstance(part, bool) else ""
