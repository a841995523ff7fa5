"""What the figures of the chapter on masks share."""

from collections.abc import Callable, Sequence
from functools import partial

from torch import Tensor

from transformer_core.attention import BLOCKED
from ui.figures.board import Panel
from ui.figures.formula import Cases, Formula, I, J, K, Number, by_row, exp, total
from ui.shell import Chapter

LOOK_AHEAD = J.at_most(I)


def pairs(
    chapter: Chapter, keys: Sequence[str], queries: Sequence[str] | None = None, paddings: Sequence[int] = ()
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


def shares(allowed: Tensor, amount: Formula, other: Formula) -> Cases:
    """The weights where the scores of pairs (T, S) that are not `allowed` become −10⁹.

    A row is shared out by the `amount` of key j, 0 if it is blocked, among the `other` amounts, of keys k; with every
    key blocked, only that −10⁹ is left to share it out by.
    """
    queries, keys = allowed.shape
    alike = exp(Number(BLOCKED) - BLOCKED)
    open_row, closed_row = amount / total(K, keys, other), alike / total(K, keys, alike)
    return by_row(*(open_row if allowed[row].any() else closed_row for row in range(queries)))


def written(values: Sequence[object]) -> str:
    """Nested lists as Python reads them, a row a line; repr of a float32's value is exact."""
    return repr([list(row) if isinstance(row, Sequence) else row for row in values]).replace("], [", "],\n    [")
