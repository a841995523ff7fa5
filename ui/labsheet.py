"""Check lab sheets from the shell with all that the app knows: its questions, and what its pages show.

    python -m ui.labsheet check --models handed-in

It is `python -m transformer_core.labsheet`, which knows neither. Of the app as it is installed it is
`glassformer.ui.labsheet`.
"""

import logging
import sys
from collections.abc import Sequence
from pathlib import Path

from transformer_core import shell
from transformer_core.labsheet import command
from transformer_core.labsheet.sheet import Entry, opened

ROOT = Path(__file__).resolve().parents[1]
OWN = ("run", "own")  # models that a link does not bring along


def main(arguments: Sequence[str] | None = None) -> int:
    sys.path.insert(0, str(ROOT))  # for who comes by `glassformer.ui.labsheet`

    import ui.chapters  # noqa: F401 - which brings who judges their questions

    return command.main(arguments, shown, f"python -m {'' if __spec__ is None else __spec__.name}")


def shown(entry: Entry) -> Entry | None:
    """The entry as a page gathers it to whom its link is opened, without a browser: one of nothing where it is no link,
    or the page gathers none; None where that needs a model which only the reader has, or too long."""
    from ui.frame.labsheet_entries import KEPT
    from ui.settings.chapters import CHAPTERS, MAP, page
    from ui.state.headless import session_value_after

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
        entries: dict[tuple[str, str], Entry] = session_value_after(
            ROOT / "app.py", page(chapter) if chapter else "", said, KEPT
        )
    except TimeoutError:
        return None
    return (entries or {}).get(entry.key, nothing)


if __name__ == "__main__":
    logging.disable(logging.WARNING)  # what a server of pages would be told, where links are opened
    shell.run(main)
