"""What stands on a lab sheet: entries, each with the link that it can be worked out from again."""

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple, get_args
from urllib.parse import parse_qsl, urlsplit

from transformer_core.shell import RELEASE

VERSION, READ = 2, (1, 2)  # of how a sheet is written down, and those that are read
ENTRIES, CLAIMS = 200, 60  # at the most
TABLES, CELLS = 2, 100  # at the most: of an entry, and of a table
NAME, NOTE, LINK, WORD = 60, 600, 4000, 400  # letters at the most: of a reader's name, a note, a link, all else

Kind = Literal["right", "slip", "wrong", "unread"]
KINDS: dict[str, Kind] = {kind: kind for kind in get_args(Kind)}


class Claim(NamedTuple):
    """An answer, and what it is worth: as a sheet says, or as its link gives it."""

    at: str  # what was asked
    reply: str
    first: str  # what was replied first, as far as the link says
    kind: Kind
    cause: str = ""  # the name of the mistake
    numbers: tuple[float, ...] = ()  # that were measured, or are right


class SheetTable(NamedTuple):
    """The numbers of a figure, or of a part of one."""

    name: str  # by which its link finds it
    columns: tuple[str, ...]  # none, or a name for each
    rows: tuple[tuple[float, ...], ...]
    title: str = ""  # as the page has it, in its language


class Entry(NamedTuple):
    """An exercise that was answered. Its `kind` and `what` name it: a sheet has each once.

    `link` opens the exercise with its replies; `first`, where that does not say it, is what the reader has replied
    first, and nothing can check it, nor the `note`. `tables` are what the page showed once it was answered. `presses`
    say how often the reader has answered; older sheets do not say it.
    """

    kind: str
    what: str
    link: str
    claims: tuple[Claim, ...]
    first: str = ""
    note: str = ""
    tables: tuple[SheetTable, ...] = ()
    presses: int | None = None

    @property
    def key(self) -> tuple[str, str]:
        return self.kind, self.what


class LabSheet(NamedTuple):
    lang: str
    name: str  # of the reader, if given
    entries: tuple[Entry, ...]
    release: str = RELEASE


def opened(link: str) -> tuple[str, Mapping[str, str]]:
    """The chapter that a link leads to, and what it says. ValueError if it is no link."""
    parts = urlsplit(link)
    return parts.path.rpartition("/")[2], dict(parse_qsl(parts.query, keep_blank_values=True, max_num_fields=200))


def plain(sheet: LabSheet) -> dict[str, Any]:
    """As JSON has it."""
    parts = ("claims", "tables")
    entries = [
        entry._asdict() | {part: [one._asdict() for one in getattr(entry, part)] for part in parts}
        for entry in sheet.entries
    ]
    return sheet._asdict() | {"entries": entries}


def from_plain(said: object) -> LabSheet:
    """ValueError if it is none, or larger than a sheet can be."""
    top = _mapping(said)
    entries = tuple(map(_entry, _list(top.get("entries"), ENTRIES)))
    return LabSheet(_text(top, "lang", 10), _text(top, "name", NAME), entries, _text(top, "release", 20))


def _entry(said: object) -> Entry:
    one = _mapping(said)
    claims = tuple(map(_claim, _list(one.get("claims"), CLAIMS)))
    words = (_text(one, "kind"), _text(one, "what"), _text(one, "link", LINK))
    tables = tuple(map(_table, _list(one.get("tables"), TABLES)))
    presses = one.get("presses")
    if presses is not None and (type(presses) is not int or presses < 0):
        raise ValueError("no count of presses")
    return Entry(*words, claims, _text(one, "first"), _text(one, "note", NOTE), tables, presses)


def _claim(said: object) -> Claim:
    one = _mapping(said)
    at, reply, first, kind, cause = (_text(one, name) for name in ("at", "reply", "first", "kind", "cause"))
    if kind not in KINDS:
        raise ValueError(f"no claim: {kind}")
    return Claim(at, reply, first, KINDS[kind], cause, _numbers(one.get("numbers"), CLAIMS))


def _table(said: object) -> SheetTable:
    one = _mapping(said)
    rows = tuple(_numbers(row, CELLS) for row in _list(one.get("rows"), CELLS))
    columns = _list(one.get("columns"), CELLS)
    if sum(map(len, rows)) > CELLS or not all(isinstance(name, str) and len(name) <= WORD for name in columns):
        raise ValueError("no table")
    return SheetTable(_text(one, "name"), tuple(columns), rows, _text({"title": ""} | one, "title"))


def _numbers(said: object, most: int) -> tuple[float, ...]:
    numbers = _list(said, most)
    if any(type(number) not in (int, float) for number in numbers):
        raise ValueError("no number")
    return tuple(map(float, numbers))


def _mapping(said: object) -> dict[str, Any]:
    if not isinstance(said, dict):
        raise ValueError(f"no object: {type(said).__name__}")
    return said


def _list(said: object, most: int) -> list[Any]:
    if not isinstance(said, list) or len(said) > most:
        raise ValueError(f"no list of up to {most}")
    return said


def _text(said: Mapping[str, object], name: str, most: int = WORD) -> str:
    value = said.get(name)
    if not isinstance(value, str) or len(value) > most:
        raise ValueError(f"no text of up to {most} letters: {name}")
    return value
