"""How large scores are, and what their size does to the softmax (paper, section 3.2.1 and its footnote 4)."""

import math
from typing import NamedTuple

import torch
from torch import Tensor

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


class SampledProducts(NamedTuple):
    """Queries, each with keys of its own, and their products for each of n sizes d_k."""

    q: Tensor  # (queries, 1, largest d_k)
    k: Tensor  # (queries, keys, largest d_k)
    products: Tensor  # (n, queries, keys)  q·k of the first d_k components


def sampled_products(sizes: Tensor, queries: int, keys: int, generator: torch.Generator) -> SampledProducts:
    """q·k for vectors of each size d_k, sizes (n,).

    The components are independent with mean 0 and variance 1. A smaller size uses the first components of the same
    vectors. A product of two such components has mean 0 and variance 1 too, so a sum of d_k of them has variance d_k.
    """
    largest = int(sizes.max())
    q = torch.randn(queries, 1, largest, generator=generator, device=generator.device)
    k = torch.randn(queries, keys, largest, generator=generator, device=generator.device)
    return SampledProducts(q, k, (q * k).cumsum(-1)[..., sizes - 1].movedim(-1, 0))


class SizeStatistics(NamedTuple):
    """Measured over all sampled rows, one number per d_k, each (n,)."""

    variance: Tensor
    entropy: Tensor  # mean over the queries
    jacobian_norm: Tensor  # mean over the queries


def size_statistics(scores: Tensor) -> SizeStatistics:
    """scores (n, queries, keys): their variance about their mean, and what a softmax over the keys makes of them."""
    rows = sharpness(scores, scores.new_ones(1))
    return SizeStatistics(scores.flatten(1).var(1), rows.entropy[0].mean(-1), rows.jacobian_norm[0].mean(-1))


def drawn_embeddings(tokens: Tensor, vocab: int, d_model: int, *, enlarge: bool, generator: torch.Generator) -> Tensor:
    """Embeddings as they start in PyTorch, with variance 1: tokens (T,) -> (T, d_model), times √d_model if `enlarge`.

    Used as query and key at once, without W_Q and W_K, each token's product with itself is a sum of d_model squares
    and outgrows all others, scaled or not: the two are not independent.
    """
    table = torch.empty(vocab, d_model, device=generator.device).normal_(generator=generator).to(tokens.device)
    return table[tokens] * (math.sqrt(d_model) if enlarge else 1.0)
