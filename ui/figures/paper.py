"""The formulas of the paper, each once: attention (equation 1), embedding (3.4), projection, LayerNorm, softmax."""

from collections.abc import Callable, Sequence
from functools import lru_cache

from ui.figures.formula import (
    Cases,
    Formula,
    I,
    Index,
    J,
    K,
    L,
    Matrix,
    Named,
    Number,
    Place,
    by_cell,
    exp,
    largest,
    ln,
    mean,
    root,
    total,
)  # fmt: skip

Entry = Callable[[Index], Formula]  # one of the numbers that the softmax runs over, by its place


def product(q: Matrix, k: Matrix, d_k: int, query: Place = I, key: Place = J) -> Formula:
    """q·k of a row of either, entry by entry."""
    return total(K, d_k, q[query, K] * k[key, K])


def scaled(score: Formula, d_k: int | None) -> Formula:
    """q·k / √d_k; as it is without d_k, in a model that does not scale."""
    return score / root(Number(d_k, "d_k")) if d_k else score


def embedded(row: Formula, d_model: int) -> Formula:
    """√d_model · E, section 3.4."""
    return root(Number(d_model, "d_model")) * row


def linear(x: Matrix, W: Matrix, b: Matrix, size: int, row: Index = J) -> Formula:
    """x Wᵀ + b, with W (out, in) and b (1, out) as PyTorch has them; `row` is that of W."""
    return total(K, size, x[I, K] * W[row, K]) + b[0, row]


def mean_and_spread(x: Matrix, row: Index, size: int, epsilon: Formula | None) -> tuple[Named, Named]:
    """Of a row, over its `size` entries. Without ε the spread is over n − 1, as in the notes' LayerNorm; with it, the
    root of variance and ε, as in PyTorch's."""
    middle = Named("μ", mean(L, size, x[row, L]))
    squares = total(K, size, (x[row, K] - middle) ** 2)
    if epsilon is None:
        return middle, Named("σ", root(squares / Number(size - 1, "n − 1")))
    return middle, Named("s", root(squares / Number(size, "n") + epsilon))


def layer_norm(x: Matrix, gain: Formula, shift: Formula, size: int, epsilon: Formula, *, notes: bool) -> Formula:
    """gain · (x − μ) / (σ + ε) + shift, or PyTorch's, with ε under the root."""
    middle, spread = mean_and_spread(x, I, size, None if notes else epsilon)
    return gain * ((x[I, J] - middle) / (spread + epsilon if notes else spread)) + shift


def log_softmax(logits: Matrix, row: Index, size: int, at: Index) -> Formula:
    """ln of the softmax of a row, at one of its places: z − max − ln Σ e^(z − max)."""
    top = Named("max", largest(K, size, logits[row, K]))
    return logits[row, at] - top - ln(total(K, size, exp(logits[row, K] - top)))


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
