"""A small model and batch to check with. No two axes have the same size, so that none can be taken for another."""

from collections.abc import Iterable

import torch
from torch import Tensor, nn

from transformer_core.devices import in_float64
from transformer_core.model import EncoderDecoder, make_model
from transformer_core.residual import Norm
from transformer_core.tasks.batch import Batch

BATCH, S, T = 3, 7, 5
N, HEADS, D_K, D_MODEL, D_FF = 2, 4, 6, 24, 10
SRC_VOCAB, TGT_VOCAB, MAX_LEN = 13, 11, 17


def small_model(norm_first: bool = True, seed: int = 0, norm: Norm | None = None) -> EncoderDecoder:
    """Float64, in evaluation mode: a function of the seed alone, and the global one is left as it was.

    Biases and norms are away from the 0 and 1 they start at, where a mistake could hide.
    """
    with torch.random.fork_rng(devices=[]):
        model = make_model(
            SRC_VOCAB, TGT_VOCAB, N, D_MODEL, D_FF, HEADS, norm_first=norm_first, norm=norm, max_len=MAX_LEN
        ).double()
    return drawn(model, seed).eval()


def drawn(model: EncoderDecoder, seed: int) -> EncoderDecoder:
    """The model, all its parameters drawn anew: matrices Xavier-uniform, vectors normal × 0.3, around 1 in norms."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if parameter.dim() > 1:
                nn.init.xavier_uniform_(parameter, generator=generator)
            else:
                centre = 1.0 if name.endswith(("norm.a_2", "norm.weight")) else 0.0
                parameter.copy_(centre + 0.3 * torch.randn(parameter.shape, generator=generator))
    return model


def vectors(*shape: int, seed: int = 0) -> Tensor:
    """Normal numbers of that shape, float64."""
    return torch.randn(shape, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))


def padded(lengths: list[int], width: int, vocab: int, generator: torch.Generator | None = None) -> Tensor:
    """Random tokens 1…vocab-1, one row per length, filled up with zeros: (len(lengths), width)."""
    tokens = torch.randint(1, vocab, (len(lengths), width), generator=generator)
    tokens[torch.arange(width) >= torch.tensor(lengths).unsqueeze(1)] = 0
    return tokens


def small_batch(generator: torch.Generator | None = None) -> Batch:
    """Source (3, 7) and decoder input (3, 5), with paddings in both."""
    return Batch(padded([4, 7, 6], S, SRC_VOCAB, generator), padded([6, 3, 5], T + 1, TGT_VOCAB, generator))


def worst(errors: Iterable[float]) -> float:
    """The largest; NaN if one of them is, which Python's own max may pass over."""
    return float(torch.tensor(list(errors), dtype=torch.float64).max())


def gap(actual: Tensor, expected: Tensor) -> float:
    """The largest |actual - expected|, in units of the largest |expected| where that is above 1; NaN if either has one.

    A sum is rounded in units of its largest terms, and each processor adds in an order of its own. ValueError if the
    shapes differ.
    """
    if actual.shape != expected.shape:
        raise ValueError(f"{tuple(actual.shape)} and {tuple(expected.shape)} cannot be compared cell by cell")
    actual, expected = in_float64(actual.detach()), in_float64(expected.detach())
    return float((actual - expected).abs().max() / expected.abs().max().clamp(min=1.0))
