"""A small model and batch for the tests. No two axes have the same size, so that none can be taken for another."""

import torch
from torch import Tensor, nn

from transformer_core import Batch, EncoderDecoder, make_model
from transformer_core.residual import Norm
from transformer_core.verify.samples import (
    BATCH,
    D_FF,
    D_K,
    D_MODEL,
    HEADS,
    MAX_LEN,
    SRC_VOCAB,
    TGT_VOCAB,
    N,
    S,
    T,
    padded,
    small_batch,
)

__all__ = [
    "BATCH",
    "D_FF",
    "D_K",
    "D_MODEL",
    "HEADS",
    "MAX_LEN",
    "N",
    "ROUNDING",
    "S",
    "SRC_VOCAB",
    "T",
    "TGT_VOCAB",
    "assert_within",
    "log_probs",
    "padded",
    "small_batch",
    "small_model",
    "unsettle",
]


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
