"""One softmax by hand, with its Jacobian (paper, section 3.2.1). The scores are logarithms: all is a fraction."""

from collections.abc import Mapping
from random import Random
from typing import NamedTuple

import torch
from torch import Tensor

from transformer_core.exercises.worksheet.exercise import Blanks, ExerciseKind, row
from transformer_core.softmax import softmax_jacobian, softmax_steps

N = 3
DIGITS = "₁₂₃"
PROBABILITIES = tuple(f"p{i}" for i in DIGITS)


class SoftmaxGivens(NamedTuple):
    counts: tuple[int, ...]  # three; the scores are their logarithms

    @property
    def scores(self) -> Tensor:
        """(3,) float64."""
        return torch.tensor(self.counts, dtype=torch.float64).log()


def steps(givens: SoftmaxGivens) -> tuple[Tensor, Tensor]:
    """The probabilities (3,) and their Jacobian (3, 3)."""
    probabilities = softmax_steps(givens.scores).probabilities
    return probabilities, softmax_jacobian(probabilities)


def draw(chance: Random) -> SoftmaxGivens:
    return SoftmaxGivens(tuple(chance.sample(range(1, 8), N)))


def right(givens: SoftmaxGivens) -> Blanks:
    p, found = steps(givens)
    return {**row("probabilities", PROBABILITIES, p), **_jacobian(found)}


def slips(givens: SoftmaxGivens) -> Mapping[str, Blanks]:
    x, (p, _) = givens.scores, steps(givens)
    outer = torch.outer(p, p)
    on_diagonal = torch.eye(N, dtype=torch.bool)
    return {
        "no_exp": row("probabilities", PROBABILITIES, x / x.sum()),
        "by_largest": row("probabilities", PROBABILITIES, (x - x.max()).exp()),
        "not_divided": row("probabilities", PROBABILITIES, x.exp()),
        "outer_only": _jacobian((-outer).masked_fill(~on_diagonal, torch.nan)),
        "no_outer": _jacobian(torch.diag(p)),
        "plus": _jacobian(torch.diag(p) + outer),
    }


def _jacobian(found: Tensor) -> Blanks:
    """Its three rows."""
    return {
        at: value
        for i, one in zip(DIGITS, found)
        for at, value in row(f"jacobian_{DIGITS.index(i) + 1}", [f"∂p{i}/∂x{j}" for j in DIGITS], one).items()
    }


SOFTMAX = ExerciseKind("softmax", draw, right, slips)
