"""How large scores are, and what their size does to the softmax (paper, section 3.2.1 and its footnote 4)."""

import math
from typing import NamedTuple

import torch
from torch import Tensor, nn

from transformer_core.attention import AttentionSteps, attention_steps
from transformer_core.embeddings import Embeddings
from transformer_core.softmax import entropy, jacobian_norm


class Sharpness(NamedTuple):
    """What a softmax makes of the same scores times each of F factors."""

    probabilities: Tensor  # (F, …, n)
    entropy: Tensor  # (F, …) nats
    jacobian_norm: Tensor  # (F, …)


def sharpness(scores: Tensor, factors: Tensor) -> Sharpness:
    """scores (…, n), factors (F,). A factor is one over a temperature; 1/√d_k is such a factor."""
    scaled = factors.reshape(-1, *[1] * scores.dim()) * scores  # (F, …, n)
    probabilities = scaled.softmax(-1)
    return Sharpness(probabilities, entropy(probabilities), jacobian_norm(probabilities))


def sampled_products(sizes: Tensor, queries: int, keys: int, generator: torch.Generator) -> Tensor:
    """q·k for vectors of each size d_k: sizes (n,) -> (n, queries, keys); every query has keys of its own.

    The components are independent with mean 0 and variance 1. A smaller size uses the first components of the same
    vectors. A product of two such components has mean 0 and variance 1 too, so a sum of d_k of them has variance d_k.
    """
    largest = int(sizes.max())
    q = torch.randn(queries, 1, largest, generator=generator)
    k = torch.randn(queries, keys, largest, generator=generator)
    return (q * k).cumsum(-1)[..., sizes - 1].movedim(-1, 0)


class SizeStatistics(NamedTuple):
    """Measured over all sampled rows, one number per d_k, each (n,)."""

    variance: Tensor
    entropy: Tensor  # mean over the queries
    jacobian_norm: Tensor  # mean over the queries


def size_statistics(scores: Tensor) -> SizeStatistics:
    """scores (n, queries, keys): their variance about their mean, and what a softmax over the keys makes of them."""
    rows = sharpness(scores, torch.ones(1))
    return SizeStatistics(scores.flatten(1).var(1), rows.entropy[0].mean(-1), rows.jacobian_norm[0].mean(-1))


def self_attention_of_embeddings(
    tokens: Tensor, vocab: int, d_model: int, *, enlarge: bool, scale: bool, generator: torch.Generator
) -> AttentionSteps:
    """Embeddings attending to themselves, without W_Q and W_K, as in the notes' example: tokens (T,) -> steps (T, T).

    The table has PyTorch's own start, variance 1. `enlarge` multiplies its rows by √d_model; `scale` divides the
    products by √d_model. A product of a row with itself is a sum of d_model squares and outgrows all others.
    """
    embeddings = Embeddings(d_model, vocab)
    nn.init.normal_(embeddings.lut.weight, generator=generator)
    with torch.no_grad():
        x = embeddings(tokens) / (1.0 if enlarge else math.sqrt(d_model))  # (T, d_model)
    return attention_steps(x, x, x, scale=scale)
