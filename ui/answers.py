"""What the chapters' questions are answered by, for whoever holds a lab sheet to it: `transformer_core.labsheet`."""

from collections.abc import Mapping
from pathlib import Path

from transformer_core.labsheet.judges import Claims
from transformer_core.labsheet.sheet import Claim, Entry, opened
from ui.address.unseen import kept_after
from ui.chapters import contents
from ui.frame.gathered import KEPT
from ui.page.predict import Choice, Quantity
from ui.settings.chapters import CHAPTERS, MAP, page
from ui.settings.frame import Frame

APP = Path(__file__).parents[1] / "app.py"
OWN = ("run", "own")  # models that a link does not bring along


def question(chapter: str, what: str, said: Mapping[str, str]) -> Claims | None:
    """The reply in a link to the question `what`, "chapter name"; None where its right answer is measured first."""
    of, asked = _asked(chapter, what, said)
    if of and (asked is None or asked.measured):
        return None
    claim = asked.claim(said.get(asked.name, "")) if asked else None
    return (claim,) if claim else ()


def right(chapter: str, what: str, said: Mapping[str, str]) -> Claims:
    """The right reply to the question `what`, as it is asked with what a link says."""
    _, asked = _asked(chapter, what, said)
    return () if asked is None or asked.measured else (Claim(asked.name, asked.right_reply, "", "right"),)


def _asked(chapter: str, what: str, said: Mapping[str, str]) -> tuple[str, Choice | Quantity | None]:
    """The chapter of a question, and the question as a link asks it; no chapter where the link leads to another."""
    of, _, name = what.partition(" ")
    if of != (chapter or MAP) or of not in (MAP, *CHAPTERS):
        return "", None
    asked = next((one for one in contents(of).questions if one.name == name), None)
    return of, asked and asked.of(contents(of).settings.from_query(said), Frame.from_query(said))


def shown(entry: Entry) -> Entry | None:
    """The entry as a page gathers it to whom its link is opened, without a browser: one of nothing where it is no link,
    or the page gathers none; None where that needs a model which only the reader has, or too long."""
    nothing = entry._replace(claims=(), tables=())
    try:
        chapter, said = opened(entry.link)
    except ValueError:
        return nothing
    if (chapter or MAP) not in (MAP, *CHAPTERS):
        return nothing
    if said.get("model") in OWN or said.get("compare") in OWN:
        return None
    try:
        entries: dict[tuple[str, str], Entry] = kept_after(APP, page(chapter) if chapter else "", said, KEPT) or {}
    except TimeoutError:
        return None
    return entries.get(entry.key, nothing)
