"""The softmax and its Jacobian as formulas."""

from collections.abc import Callable, Sequence
from functools import lru_cache

from ui.figures.formula import Cases, Formula, I, Index, J, K, Matrix, Named, by_cell, exp, largest, total

Entry = Callable[[Index], Formula]  # one of the numbers that the softmax runs over, by its place


def softmax(scores: Matrix | Entry, size: int, at: Index = J) -> Formula:
    """e^(score − max) at a place over the sum of all `size` of them: those of row i of a matrix, or of any kind."""
    score = (lambda k: scores[I, k]) if isinstance(scores, Matrix) else scores
    top = Named("max", largest(K, size, score(K)))
    return exp(score(at) - top) / total(K, size, exp(score(K) - top))


def share(score: Entry, size: int, places: Sequence[int]) -> Formula:
    """What the softmax over all `size` of them gives to some places together."""
    top = Named("max", largest(K, size, score(K)))
    return total(K, places, exp(score(K) - top)) / total(K, size, exp(score(K) - top))


@lru_cache(maxsize=8)
def jacobian(p: str, column: int, size: int) -> Cases:
    """p_i(δ_ij − p_j), where p is a column of the matrix `p`. What a probability lacks of 1 is summed up of the others,
    for near 1 a difference is lost."""
    shares = Matrix(p)

    def entry(i: int, j: int) -> Formula:
        others = [k for k in range(size) if k != i]
        if i == j:
            return shares[I, column] * Named("(1 − pᵢ)", total(K, others, shares[K, column]))
        return -(shares[I, column] * shares[J, column])

    return by_cell(*(entry(i, j) for i in range(size) for j in range(size)))
