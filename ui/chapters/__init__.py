"""A room per chapter, what each has in it, and who judges its questions on a lab sheet."""

from collections.abc import Mapping
from importlib import import_module

from transformer_core.labsheet.judges import Claims, add_judge
from transformer_core.labsheet.key import add_key
from transformer_core.labsheet.sheet import Claim
from ui.sections import Choice, Frame, Quantity
from ui.sections.contents import Contents
from ui.settings.chapters import CHAPTERS, MAP


def contents(chapter: str) -> Contents:
    found: Contents = import_module(f"ui.chapters.{chapter}").CONTENTS
    return found


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


add_judge("question", question)
add_key("question", right)
