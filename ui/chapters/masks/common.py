"""What the figures of the chapter on masks share."""

from collections.abc import Callable, Sequence

from torch import Tensor

from transformer_core.attention import BLOCKED
from ui.figures import Panel
from ui.figures.formula import Cases, Formula, I, J, K, Number, by_row, exp, total

LOOK_AHEAD = J.at_most(I)


def shares(allowed: Tensor, amount: Formula, other: Formula) -> Cases:
    """The weights where the scores of pairs (T, S) that are not `allowed` become −10⁹.

    A row is shared out by the `amount` of key j, 0 if it is blocked, among the `other` amounts, of keys k; with every
    key blocked, only that −10⁹ is left to share it out by.
    """
    queries, keys = allowed.shape
    alike = exp(Number(BLOCKED) - BLOCKED)
    open_row, closed_row = amount / total(K, keys, other), alike / total(K, keys, alike)
    return by_row(*(open_row if allowed[row].any() else closed_row for row in range(queries)))


def weighted(
    square: Callable[..., Panel], key: str, weights: Tensor, title: str, place: tuple[int, int], made: Cases | Formula
) -> Panel:
    """A panel of weights, made by what makes panels of pairs."""
    drawn = {"scale": "probability", "symbol": "α", "print_values": True}
    return square(key, weights.numpy(), title, place=place, made=made, **drawn)


def written(values: Sequence[object]) -> str:
    """Nested lists as Python reads them, a row a line; repr of a float32's value is exact."""
    return repr([list(row) if isinstance(row, Sequence) else row for row in values]).replace("], [", "],\n    [")
