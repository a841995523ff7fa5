"""What the chapters' questions are answered by, for whoever holds a lab sheet to it: `transformer_core.labsheet`."""

from collections.abc import Mapping

from transformer_core.labsheet.judges import Claims
from ui.chapters import contents
from ui.settings.chapters import CHAPTERS, MAP


def question(chapter: str, what: str, said: Mapping[str, str]) -> Claims | None:
    """The reply in a link to the question `what`, "chapter name"; None where its right answer is measured first."""
    of, _, name = what.partition(" ")
    if of != (chapter or MAP) or of not in (MAP, *CHAPTERS):
        return ()
    asked = {one.name: one for one in contents(of).questions}.get(name)
    if asked is None or asked.measured:
        return None
    claim = asked.of(contents(of).settings.from_query(said)).claim(said.get(name, ""))
    return (claim,) if claim else ()
