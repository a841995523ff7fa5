"""What a reader has answered, gathered for the lab sheet while the tab is open."""

from collections.abc import Iterator, Mapping
from typing import Any

from transformer_core.labsheet.judges import Claims, worked_out
from transformer_core.labsheet.sheet import CELLS, ENTRIES, LINK, TABLES, Entry, SheetTable
from ui import state
from ui.figures.figure import Figure
from ui.frame.chapter import Chapter

KEPT, SEEN, NAME = "labsheet.entries", "labsheet.seen", "labsheet.name"
ANSWERED = "labsheet.answered"  # in this run: the section, and the key of its entry

Key = tuple[str, str]


def gather(
    chapter: Chapter[Any], kind: str, what: str, replies: Mapping[str, str], claims: Claims | None = None
) -> None:
    """Take an answer along: an exercise of this `kind`, called `what`, and the settings of a link that are its replies,
    one of which the reader has given: what a link or a scene sets is no answer.

    `claims` are what it is worth; those that its link gives where they are not handed over. What the reader has dropped
    comes back once it is answered in another way, or many others have been since.
    """
    key, news = (kind, what), tuple(replies.items())
    seen: Mapping[Key, object] = state.recall(SEEN) or {}
    kept = entries()
    own = any(state.is_given(chapter.name, name) for name in replies)
    if not own or seen.get(key) == news or (len(kept) == ENTRIES and key not in kept):
        return
    link = _link(chapter, replies)
    found = worked_out(Entry(kind, what, link, ())) if claims is None else claims
    if found:
        old = kept.get(key)
        first = (old.first or old.claims[0].reply) if old and kind == "question" else ""
        first = "" if first == found[0].reply else first
        note, presses = old.note if old else "", state.presses(chapter.name, *replies)
        state.remember(KEPT, {**kept, key: Entry(kind, what, link, found, first, note, presses=presses)})
        state.remember(SEEN, dict([*seen.items(), (key, news)][-2 * ENTRIES :]))
        if claims is not None:
            state.ask_again(ANSWERED)
            state.once(ANSWERED, lambda: (chapter.name, chapter.named, key))


def take_figure(chapter: Chapter[Any], figure: Figure) -> None:
    """Take along what a section shows to whom has just answered its question: as far as that is few numbers."""
    answered: tuple[str, str, Key] | None = state.once(ANSWERED, lambda: None)
    if answered is None or answered[:2] != (chapter.name, chapter.named):
        return
    key, kept = answered[2], entries()
    found = [*kept[key].tables, *_tables(figure)][:TABLES]
    state.remember(KEPT, {**kept, key: kept[key]._replace(tables=tuple(found))})


def _tables(figure: Figure) -> Iterator[SheetTable]:
    if figure.board:
        drawn = figure.board.panels
        parts = [(f"{figure.name}.{one.key}", tuple(one.col_labels), one.shown, one.title) for one in drawn]
    else:
        parts = [(figure.name, tuple(figure.columns), figure.data, "")]
    for name, columns, values, title in parts:
        if values.size <= CELLS:
            rows = (tuple(float(f"{number:.6g}") for number in row) for row in values.astype(float).tolist())
            yield SheetTable(name, columns, tuple(rows), title)


def _link(chapter: Chapter[Any], replies: Mapping[str, str]) -> str:
    """What opens the exercise alone, as it is now and with its replies; of a longer one, with the replies alone."""
    only = chapter.named or chapter.frame.only
    said = state.shared(chapter.name, only=only, open="", hide="", present=False, lesson="", at_stop=1)
    link = state.link_to(chapter.name, {**said, **replies})
    return link if len(link) <= LINK else state.link_to(chapter.name, replies)


def entries() -> Mapping[Key, Entry]:
    return state.recall(KEPT) or {}


def is_full() -> bool:
    return len(entries()) == ENTRIES


def drop(key: Key) -> None:
    state.remember(KEPT, {name: entry for name, entry in entries().items() if name != key})


def drop_all() -> None:
    state.remember(KEPT, {})


def note(key: Key, text: str) -> None:
    kept = entries()
    if key in kept:
        state.remember(KEPT, {**kept, key: kept[key]._replace(note=text)})


def call(name: str) -> None:
    state.remember(NAME, name)


def name() -> str:
    return state.recall(NAME) or ""
