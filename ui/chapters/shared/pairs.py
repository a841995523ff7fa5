"""Panels with a row for each query and a column for each key."""

from collections.abc import Callable, Sequence
from functools import partial

from ui.figures import Panel
from ui.sections import AnyChapter


def pairs(
    chapter: AnyChapter, keys: Sequence[str], queries: Sequence[str] | None = None, paddings: Sequence[int] = ()
) -> Callable[..., Panel]:
    """Makes panels with a row for each query and a column for each key; the queries are the keys unless named."""
    return partial(
        Panel,
        row_labels=keys if queries is None else queries,
        col_labels=keys,
        row_axis=chapter.say("query_axis"),
        col_axis=chapter.say("key_axis"),
        padded_rows=paddings,
        padded_cols=paddings,
    )


def numbered(size: int) -> list[str]:
    """The positions as labels."""
    return [str(position) for position in range(size)]
