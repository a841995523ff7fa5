"""Scaled dot-product attention as a puzzle (paper, section 3.2.1, equation 1)."""

import math
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention

from transformer_core.attention import BLOCKED, attention_steps
from transformer_core.exercises.parsons.measure import first_largest, furthest, influence, moved, row_sums, shape
from transformer_core.exercises.parsons.puzzle import Distractor, Finding, Function, Law, Puzzle, PuzzleLine
from transformer_core.masks import subsequent_mask
from transformer_core.softmax import masked_softmax, softmax_steps
from transformer_core.verify.samples import vectors

T, S, D_K, D_V = 5, 7, 6, 4
WORDS, PADDINGS = 6, 2
WIDE, QUERIES = 256, 32  # for the scale: the size of queries and keys, and how many are asked
REAL = torch.arange(S) < S - PADDINGS  # (S,) the keys that are no padding


class QueryKeyValue(NamedTuple):
    """Queries, keys and values, none of whose axes have the same size."""

    query: Tensor
    key: Tensor
    value: Tensor
    mask: Tensor


def given() -> QueryKeyValue:
    return QueryKeyValue(vectors(T, D_K), vectors(S, D_K, seed=1), vectors(S, D_V, seed=2), REAL.expand(T, S))


def rows(function: Function) -> Finding:
    """Every row of the weights sums to one, for it is a softmax over the keys."""
    _, weights = function(*given(), BLOCKED)
    return row_sums(weights)


def causality(function: Function) -> Finding:
    """Under the look-ahead mask no row moves when a later word is another one."""
    ahead = subsequent_mask(WORDS)[0]

    def outputs(x: Tensor) -> Tensor:
        output: Tensor = function(x, x, x, ahead, BLOCKED)[0]
        return output

    return moved(influence(outputs, vectors(WORDS, D_K)).triu(1))


def padding(function: Function) -> Finding:
    """Paddings that are masked move no row."""
    x = vectors(WORDS + PADDINGS, D_K)
    real = torch.arange(len(x)) < WORDS
    alone, _ = function(x[:WORDS], x[:WORDS], x[:WORDS], real[:WORDS].expand(WORDS, WORDS), BLOCKED)
    together, _ = function(x, x, x, real.expand(len(x), len(x)), BLOCKED)
    by = (together[:WORDS] - alone).abs().amax(-1)
    return Finding(float(by.max()), {"row": first_largest(by), "by": float(by.max())})


def scale(function: Function) -> Finding:
    """The largest weight of a row, on average, where vectors are long: 1/√d_k keeps the softmax from deciding alone."""
    query, key, mask = vectors(QUERIES, WIDE), vectors(S, WIDE, seed=1), torch.ones(QUERIES, S, dtype=torch.bool)
    everyone = torch.eye(S, dtype=torch.float64)
    weights = function(query, key, everyone, mask, BLOCKED)[1]
    expected = scaled_dot_product_attention(query, key, everyone)
    largest, wanted = (float(each.amax(-1).mean()) for each in (weights, expected))
    return Finding(abs(largest - wanted), {"d_k": WIDE, "given": largest, "wanted": wanted})


def parity(function: Function) -> Finding:
    """The output beside `torch.nn.functional.scaled_dot_product_attention`."""
    sample = given()
    expected = scaled_dot_product_attention(sample.query, sample.key, sample.value, attn_mask=sample.mask)
    return furthest(function(*sample, BLOCKED)[0], expected)


ATTENTION = Puzzle(
    "attention",
    "def attention(query, key, value, mask, blocked):",
    (
        PuzzleLine("products", "products = query @ key.transpose(-2, -1)"),
        PuzzleLine("scores", "scores = products / math.sqrt(query.size(-1))"),
        PuzzleLine("masked", "masked = scores.masked_fill(mask == 0, blocked)"),
        PuzzleLine("weights", "weights = masked.softmax(dim=-1)"),
        PuzzleLine("return", "return weights @ value, weights"),
    ),
    (
        Distractor("untransposed", "products = query @ key", "products", "raised"),
        Distractor("unscaled", "scores = products", "scores", "scale"),
        Distractor("by_keys", "scores = products / math.sqrt(key.size(-2))", "scores", "padding"),
        Distractor("zeroed", "masked = scores * mask", "masked", "causality"),
        Distractor("axis", "weights = masked.softmax(dim=-2)", "weights", "rows"),
        Distractor("late", "weights = scores.softmax(dim=-1).masked_fill(mask == 0, 0.0)", "weights", "rows"),
    ),
    (
        shape(lambda function: function(*given(), BLOCKED), (T, D_V), (T, S)),
        Law("rows", rows),
        Law("causality", causality),
        Law("padding", padding),
        Law("scale", scale),
        Law("parity", parity),
    ),
    {"math": math},
    (attention_steps, masked_softmax, softmax_steps),
)
