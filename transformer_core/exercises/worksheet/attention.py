"""One row of masked attention by hand (paper, equation 1): scores, weights, and the values that they mix."""

import math
from collections.abc import Mapping
from random import Random
from typing import NamedTuple

import torch
from torch import Tensor

from transformer_core.attention import AttentionSteps, attention_steps
from transformer_core.exercises.worksheet.exercise import Blanks, ExerciseKind, row

N, D_V = 4, 2  # keys, each of as many numbers (so that K could be read the wrong way); numbers of a value
SEEN = 3  # keys that the query may attend to
SCORES, WEIGHTS, OUTPUTS = ("s₁", "s₂", "s₃", "s₄"), ("α₁", "α₂", "α₃", "α₄"), ("o₁", "o₂")


class AttentionGivens(NamedTuple):
    """float64."""

    q: Tensor  # (1, 4)
    k: Tensor  # (4, 4)
    v: Tensor  # (4, 2)
    mask: Tensor  # (1, 4) bool, True = may attend


def steps(givens: AttentionGivens) -> AttentionSteps:
    return attention_steps(*givens)


def draw(chance: Random) -> AttentionGivens | None:
    """Small whole numbers, whose products are small, too, and differ; that of the masked key is large."""
    q = [chance.randint(-2, 2) for _ in range(N)]
    products = [*chance.sample([-2, -1, 1, 2, 3, 4], SEEN), chance.randint(3, 5)]
    if q.count(0) > 1 or not {-1, 1} & {*q} or max(products[:SEEN]) - min(products[:SEEN]) > 3:
        return None
    keys = [_key(chance, q, product) for product in products]
    values = [[chance.randint(-4, 6) for _ in range(D_V)] for _ in range(N)]
    mask = torch.arange(N).unsqueeze(0) < SEEN
    return AttentionGivens(_double([q]), _double(keys), _double(values), mask)


def _double(rows: list[list[int]]) -> Tensor:
    return torch.tensor(rows, dtype=torch.float64)


def _key(chance: Random, q: list[int], product: int) -> list[int]:
    """One with this product, which there is up to ±6 for a query with a 1 and two more numbers."""
    while True:
        k = [chance.randint(-2, 2) for _ in range(N)]
        if sum(a * b for a, b in zip(q, k)) == product:
            return k


def right(givens: AttentionGivens) -> Blanks:
    found = steps(givens)
    return _blanks(found.scores, found.weights, found.output)


def slips(givens: AttentionGivens) -> Mapping[str, Blanks]:
    q, k, v, mask = givens
    scores, weights = steps(givens).scores, steps(givens).weights

    def instead(made: AttentionSteps) -> Blanks:
        return _blanks(made.scores, made.weights.masked_fill(~mask, math.nan), made.output)

    unmasked = scores.softmax(-1)
    by_zero = scores.masked_fill(~mask, 0.0).softmax(-1)
    return {
        "no_scale": instead(attention_steps(q, k, v, mask, scale=False)),
        "by_d": instead(attention_steps(q / math.sqrt(N), k, v, mask)),
        "transposed": instead(attention_steps(q, k.T, v, mask)),
        "mask_after": _blanks(None, unmasked.masked_fill(~mask, math.nan), unmasked * mask @ v),
        "no_mask": _blanks(None, unmasked.masked_fill(mask, math.nan), unmasked @ v),
        "zero_score": _blanks(None, by_zero.masked_fill(mask, math.nan), by_zero @ v),
        "heaviest": _blanks(None, None, v[weights.argmax(-1)]),
    }


def _blanks(scores: Tensor | None, weights: Tensor | None, output: Tensor) -> Blanks:
    """Of three rows, (1, 4), (1, 4) and (1, 2), as far as they are there."""
    found = row("output", OUTPUTS, output[0])
    for name, places, one in (("weights", WEIGHTS, weights), ("scores", SCORES, scores)):
        found = found if one is None else {**row(name, places, one[0]), **found}
    return found


ATTENTION = ExerciseKind("attention", draw, right, slips, tolerance={"output": 0.03})
