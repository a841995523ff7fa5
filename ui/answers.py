"""What the chapters' questions are answered by, for whoever holds a lab sheet to it: `transformer_core.labsheet`."""

from collections.abc import Mapping
from pathlib import Path

from transformer_core.labsheet.judges import Claims
from transformer_core.labsheet.sheet import Entry, Table, opened
from ui.address.unseen import kept_after
from ui.chapters import contents
from ui.frame.gathered import KEPT
from ui.settings.chapters import CHAPTERS, MAP, page
from ui.settings.frame import Frame

APP = Path(__file__).parents[1] / "app.py"
OWN = ("run", "own")  # models that a link does not bring along


def question(chapter: str, what: str, said: Mapping[str, str]) -> Claims | None:
    """The reply in a link to the question `what`, "chapter name"; None where its right answer is measured first."""
    of, _, name = what.partition(" ")
    if of != (chapter or MAP) or of not in (MAP, *CHAPTERS):
        return ()
    asked = {one.name: one for one in contents(of).questions}.get(name)
    if asked is None or asked.measured:
        return None
    claim = asked.of(contents(of).settings.from_query(said), Frame.from_query(said)).claim(said.get(name, ""))
    return (claim,) if claim else ()


def shown(entry: Entry) -> tuple[Table, ...] | None:
    """The tables of what a page shows to whom its link is opened, without a browser; None where that needs a model
    which only the reader has."""
    chapter, said = opened(entry.link)
    if (chapter or MAP) not in (MAP, *CHAPTERS):
        return ()
    if said.get("model") in OWN or said.get("compare") in OWN:
        return None
    entries = kept_after(APP, page(chapter) if chapter else "", said, KEPT) or {}
    return entries[entry.key].tables if entry.key in entries else ()
