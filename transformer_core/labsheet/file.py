"""A lab sheet as a file: a page to read, which also contains its entries as data, with a checksum of these.

The checksum finds data that was changed after it was saved. It proves nothing about who answered.
"""

import hashlib
import json
from typing import Literal, NamedTuple

from transformer_core.labsheet.saved import PDF, is_mhtml, pages_of
from transformer_core.labsheet.sheet import READ, VERSION, LabSheet, from_plain, plain

LARGEST = 2_000_000  # bytes
BEGIN, END = '<script type="application/json" id="labsheet">', "</script>"
LAST = "</html>"

OfSheet = Literal["missing", "huge", "none", "truncated", "version", "broken"]
Reason = Literal[OfSheet, "mhtml", "pdf", "zip", "locked", "deep", "many"]


class Unreadable(ValueError):
    """Why a file is no lab sheet that can be read."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason)
        self.reason = reason


class OpenedSheet(NamedTuple):
    sheet: LabSheet
    unchanged: bool  # whether its checksum fits; version 1 has one of the page as well, which is not read


def with_data(page: str, sheet: LabSheet) -> str:
    """A page that shows a sheet, with the sheet in it as data. ValueError if it has no end."""
    body, end, rest = page.rpartition("</body>")
    if not end:
        raise ValueError("a page ends with </body></html>")
    said = {"version": VERSION, **plain(sheet)}
    data = json.dumps(said | {"checksum": _checksum(said)}, ensure_ascii=False, separators=(",", ":"))
    return f"{body}{BEGIN}{data.replace('<', chr(92) + 'u003c')}{END}{end}{rest}"


def found_in(content: bytes) -> OpenedSheet:
    """The sheet in the bytes of a file, however they were saved. Unreadable if there is none."""
    if content.startswith(PDF):
        raise Unreadable("pdf")
    pages = [page for page in pages_of(content) if BEGIN in page]
    if not pages:
        raise Unreadable("mhtml" if is_mhtml(content) else "none")
    tried = [*map(_tried, pages)]
    best = next((one for one in tried if isinstance(one, OpenedSheet) and one.unchanged), tried[0])
    if isinstance(best, Unreadable):
        raise best
    return best


def _tried(page: str) -> OpenedSheet | Unreadable:
    try:
        return found(page)
    except Unreadable as problem:
        return problem


def found(page: str) -> OpenedSheet:
    """The sheet in a page. Unreadable if there is none."""
    _, begin, after = page.partition(BEGIN)
    if not begin:
        raise Unreadable("none")
    data, end, rest = after.partition(END)
    if not end or LAST not in rest:
        raise Unreadable("truncated")
    try:
        said = json.loads(data)
        if isinstance(said, dict) and said.get("version") not in READ:
            raise Unreadable("version")
        sheet = from_plain(said)
        checksum = said.pop("checksum", None)
        return OpenedSheet(sheet, said["version"] == 1 or checksum == _checksum(said))
    except Unreadable:
        raise
    except (ValueError, OverflowError, RecursionError):
        raise Unreadable("broken") from None


def _checksum(said: object) -> str:
    return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()
