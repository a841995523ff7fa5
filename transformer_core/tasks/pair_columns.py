"""Which columns of a table hold a source and a target, and whether its first line names them."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial

from transformer_core.tasks.column_names import OTHER, SOURCES, TARGETS, TEXTS
from transformer_core.tasks.own_pairs import NotPairs
from transformer_core.tasks.own_vocabulary import clean
from transformer_core.tasks.pair_table import HEAD, NumberedRow, PairTable

Columns = tuple[int, int]  # of a source and of a target, from 1

NUMBER = re.compile(r"[+-]?\d[\d.,:/ -]*%?")
CODE = re.compile(r"(?=.*\d)[\w.:-]+")
WORD = re.compile(r"[^\W\d_]+")
TITLE = re.compile(r"[^\W\d_][\w .()/'’-]*")  # what a heading looks like
LONGEST_TITLE = 4  # words
MOSTLY = 0.95  # of the cells of a column
NEAR = 20  # lines below a heading that are none: a dictionary of languages begins like one
STRANGE = 0.02  # a line of words that no other line has is a heading where no more lines than this share are such
ENOUGH = 20  # lines, to tell
LABEL = 8  # letters of a label, at most
COPYRIGHT = ("http://", "https://", "www.", "CC-BY", "CC BY", "tatoeba.org")

Cells = Sequence[str]


def columns_of(table: PairTable) -> Columns:
    """By their names, where two are named as texts; else the first two that are not numbers, labels or addresses.

    Where too few are left a number or a label is a text. NotPairs if only one column has anything in it.
    """
    filled = [at - 1 for at in filled_of(table)]
    if len(filled) < 2:
        raise NotPairs("one_column", "the lines have one column", line=clean(" ".join(table.lines[0].cells))[:40])
    first = _first(table)
    names = [at for at in filled if _is_name(first[at]) and not any(map(_is_name, _column(table, at)[1:NEAR]))]
    named = [at for at in names if _is_text(first[at])]
    if len(named) >= 2:
        return _by_role(named, first)
    others = [at for at in filled if at in named or at not in names]
    filled = others if len(others) >= 2 else filled
    for drops in (_repeats, _counts, _identifies, _measures, _is_address, _labels):
        left = [at for at in filled if not drops(_column(table, at)[1:])]
        filled = left if len(left) >= 2 else filled
    return filled[0] + 1, filled[1] + 1


def _by_role(named: Sequence[int], first: Sequence[str]) -> Columns:
    """Of the columns of texts a source and a target; where their names do not say it, the first two, as they stand."""
    sources, targets = ([at for at in named if _means(first[at], words)] for words in (SOURCES, TARGETS))
    if sources and targets:
        source, target = sources[0], next((at for at in targets if at != sources[0]), targets[0])
        if source != target:
            return source + 1, target + 1
    one, other = named[:2]
    backwards = (one in targets and other not in targets) or (other in sources and one not in sources)
    return (other + 1, one + 1) if backwards else (one + 1, other + 1)


def filled_of(table: PairTable) -> list[int]:
    """The columns that have anything in them, from 1."""
    return [at + 1 for at in range(table.width) if any(_column(table, at)[bool(table.names) :])]


def has_header(table: PairTable, columns: Columns) -> bool:
    """Whether the first line names the columns.

    It does where its cells are names of languages or sides; where a column of numbers begins with a word; where all its
    words stand there alone, in a file in which hardly another line's do.
    """
    if table.names or len(table.lines) < 2:
        return bool(table.names)
    first, rest = _first(table), table.lines[1:HEAD]
    heads = [first[at - 1] for at in columns]
    if not all(map(_is_title, heads)):
        return False
    sides = [_column(table, at - 1)[1:] for at in columns]
    pairs = [*zip(*sides)]
    others = any(all(map(_is_name, pair)) for pair in pairs[:NEAR])
    alone = [not _words(head) & {word for cell in side for word in _words(cell)} for head, side in zip(heads, sides)]
    known = [*map(_is_name, heads)]
    if not others and (all(known) or (any(known) and all(alone))):
        return True
    columns_ = (_column(table, at) for at in range(table.width))
    if any(_is_title(cells[0]) and not any(map(str.isdigit, cells[0])) and _measures(cells[1:]) for cells in columns_):
        return True
    return len(rest) >= ENOUGH and all(alone) and not any(map(str.isdigit, "".join(heads))) and _are_rare(pairs)


def _are_rare(pairs: Sequence[tuple[str, str]]) -> bool:
    """Pairs both of whose cells have only words that no other has."""
    counts = [Counter(word for pair in pairs for word in _words(pair[at])) for at in (0, 1)]
    strange = sum(all(counts[at][word] == 1 for at in (0, 1) for word in _words(pair[at])) for pair in pairs)
    return strange <= STRANGE * len(pairs)


def _first(table: PairTable) -> tuple[str, ...]:
    """The cells of the first line, or the names that JSON has, as many as there are columns."""
    cells = table.names or tuple(map(clean, table.lines[0].cells))
    return (*cells, *[""] * table.width)[: table.width]


def _column(table: PairTable, at: int) -> list[str]:
    return [clean(line.cells[at]) if at < len(line.cells) else "" for line in _head(table)]


def _head(table: PairTable) -> Sequence[NumberedRow]:
    """The first lines; where JSON names its columns, one before them that has nothing in it."""
    return (*([NumberedRow(0, ())] if table.names else []), *table.lines[:HEAD])


def _words(cell: str) -> set[str]:
    return set(cell.casefold().split())


def _is_title(cell: str) -> bool:
    return bool(TITLE.fullmatch(cell)) and len(cell.split()) <= LONGEST_TITLE


def _parts(name: str) -> list[str]:
    """The words of a name, `textEn`, `text_en` and `text (EN)` alike."""
    return [word.casefold() for word in WORD.findall(re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name))]


def _means(name: str, words: frozenset[str]) -> bool:
    return any(part in words for part in _parts(name))


def _is_text(name: str) -> bool:
    parts = _parts(name)
    return bool(parts) and all(part in TEXTS for part in parts)


def _is_name(name: str) -> bool:
    parts = _parts(name)
    return bool(parts) and all(part in TEXTS or part in OTHER for part in parts)


def _of_most(cells: Cells, holds: Callable[[str], object]) -> bool:
    filled = [cell for cell in cells if cell]
    return len(filled) > 1 and sum(bool(holds(cell)) for cell in filled) >= MOSTLY * len(filled)


def _whole(cells: Cells) -> list[int]:
    """The numbers of a column that has hardly anything else."""
    is_whole = partial(re.fullmatch, r"\d{1,15}")
    return [int(cell) for cell in cells if is_whole(cell)] if _of_most(cells, is_whole) else []


def _counts(cells: Cells) -> bool:
    """1, 2, 3 …"""
    numbers = _whole(cells)
    steps = [one - other for one, other in zip(numbers[1:], numbers)]
    return bool(steps) and sum(step == 1 for step in steps) >= MOSTLY * len(steps)


def _identifies(cells: Cells) -> bool:
    """Numbers of which most are of one line alone, and that are sorted or long; or other names with numbers in them."""
    numbers = _whole(cells)
    long = bool(numbers) and min(numbers) > 999
    if not numbers:  # words with numbers in them, each once
        return len(cells) > 2 and len({*cells}) == len(cells) and _of_most(cells, CODE.fullmatch)
    return len(numbers) > 2 and len({*numbers}) * 2 > len(numbers) and (long or numbers == sorted(numbers))


def _repeats(cells: Cells) -> bool:
    """The same in every line."""
    return len(cells) > 2 and len({*cells} - {""}) == 1


def _measures(cells: Cells) -> bool:
    return len(cells) > 2 and _of_most(cells, NUMBER.fullmatch)


def _is_address(cells: Cells) -> bool:
    return _of_most(cells, lambda cell: any(mark in cell for mark in COPYRIGHT))


def _labels(cells: Cells) -> bool:
    """A few short words that come again and again."""
    return len({*cells}) * 10 <= len(cells) and all(len(cell) <= LABEL and " " not in cell for cell in cells)
