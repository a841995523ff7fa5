"""A small model and batch for the tests. No two axes have the same size, so that none can be taken for another."""

import torch
from torch import Tensor, nn

from transformer_core import Batch, EncoderDecoder, make_model
from transformer_core.residual import Norm

BATCH, S, T = 3, 7, 5
N, HEADS, D_K, D_MODEL, D_FF = 2, 4, 6, 24, 10
SRC_VOCAB, TGT_VOCAB, MAX_LEN = 13, 11, 17


def small_model(norm_first: bool = True, norm: Norm | None = None) -> EncoderDecoder:
    """In evaluation mode, with biases and norms away from the 0 and 1 they start at, where a mistake could hide."""
    model = make_model(
        SRC_VOCAB, TGT_VOCAB, N, D_MODEL, D_FF, HEADS, norm_first=norm_first, norm=norm, max_len=MAX_LEN
    ).eval()
    unsettle(model)
    return model


def unsettle(module: nn.Module) -> None:
    with torch.no_grad():
        for parameter in module.parameters():
            if parameter.dim() == 1:
                parameter.add_(torch.randn_like(parameter), alpha=0.3)


def padded(lengths: list[int], width: int, vocab: int) -> Tensor:
    """Random tokens 1…vocab-1, one row per length, filled up with zeros."""
    tokens = torch.randint(1, vocab, (len(lengths), width))
    tokens[torch.arange(width) >= torch.tensor(lengths).unsqueeze(1)] = 0
    return tokens


def small_batch() -> Batch:
    """Source (3, 7) and decoder input (3, 5), with paddings in both."""
    return Batch(padded([4, 7, 6], S, SRC_VOCAB), padded([6, 3, 5], T + 1, TGT_VOCAB))


def log_probs(model: EncoderDecoder, batch: Batch) -> Tensor:
    out: Tensor = model.generator(model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask))
    return out


ROUNDING = 32 * torch.finfo(torch.float32).eps  # of a whole pass, on any processor; measured: 4 units


def assert_within(actual: Tensor, expected: Tensor, tolerance: float) -> None:
    """No entry is off by more than `tolerance`, in units of the largest entry where that is above 1.

    A sum is rounded in units of its largest terms, and each processor adds in an order of its own.
    """
    size = max(1.0, float(expected.detach().abs().max()))
    torch.testing.assert_close(actual, expected, rtol=0.0, atol=tolerance * size)
