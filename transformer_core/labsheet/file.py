"""A lab sheet as a file: a page to be read, and in it the same as data, under a seal.

The seal is a digest of the data and of all that the page says. It finds a change in either, whoever made it: a hand, a
translation, an extension; whoever makes a new one has still to make the links give what the data says.
"""

import hashlib
import json
from html.parser import HTMLParser
from pathlib import Path
from typing import Literal, NamedTuple

from transformer_core.labsheet.saved import PDF, is_mhtml, pages_of
from transformer_core.labsheet.sheet import VERSION, LabSheet, from_plain, plain

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
    intact: bool  # whether its seal fits


def sealed(page: str, sheet: LabSheet) -> str:
    """A page that shows a sheet, with the sheet in it as data. ValueError if it has no end."""
    body, end, rest = page.rpartition("</body>")
    if not end:
        raise ValueError("a page ends with </body></html>")
    said = {"version": VERSION, **plain(sheet)}
    data = json.dumps(said | {"seal": _seal(said, page)}, ensure_ascii=False, separators=(",", ":"))
    return f"{body}{BEGIN}{data.replace('<', chr(92) + 'u003c')}{END}{end}{rest}"


def read(path: Path) -> OpenedSheet:
    """The sheet in a file. Unreadable if there is none."""
    try:
        if not path.is_file():
            raise Unreadable("missing")
        if path.stat().st_size > LARGEST:
            raise Unreadable("huge")
        return found_in(path.read_bytes())
    except OSError:
        raise Unreadable("missing") from None


def found_in(content: bytes) -> OpenedSheet:
    """The sheet in the bytes of a file, however they were saved. Unreadable if there is none."""
    if content.startswith(PDF):
        raise Unreadable("pdf")
    pages = [page for page in pages_of(content) if BEGIN in page]
    if not pages:
        raise Unreadable("mhtml" if is_mhtml(content) else "none")
    tried = [*map(_tried, pages)]
    best = next((one for one in tried if isinstance(one, OpenedSheet) and one.intact), tried[0])
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
    before, begin, after = page.partition(BEGIN)
    if not begin:
        raise Unreadable("none")
    data, end, rest = after.partition(END)
    if not end or LAST not in rest:
        raise Unreadable("truncated")
    try:
        said = json.loads(data)
        if isinstance(said, dict) and said.get("version") != VERSION:
            raise Unreadable("version")
        sheet = from_plain(said)
        seal = said.pop("seal", None)
        return OpenedSheet(sheet, BEGIN not in rest and seal == _seal(said, before + rest))
    except Unreadable:
        raise
    except (ValueError, OverflowError, RecursionError):
        raise Unreadable("broken") from None


def _seal(said: object, page: str) -> str:
    written = json.dumps(said, sort_keys=True) + text_of(page)
    return hashlib.sha256(written.encode("utf-8", "surrogatepass")).hexdigest()


def text_of(page: str) -> str:
    """All letters that a page shows, without the spaces between them, which a browser that saves it may move."""
    reader = _Letters()
    reader.feed(page)
    reader.close()
    return "".join("".join(reader.letters).split())


class _Letters(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.letters: list[str] = []
        self.unseen = 0

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.unseen += tag in ("script", "style")

    def handle_endtag(self, tag: str) -> None:
        self.unseen -= tag in ("script", "style")

    def handle_data(self, data: str) -> None:
        if not self.unseen:
            self.letters.append(data)
