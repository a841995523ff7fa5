"""Pre- against post-norm before the first update: how the gradient is spread over the layers (paper, section 3.1)."""

from typing import Literal, NamedTuple

import torch
from torch import nn
from torch.nn.functional import nll_loss
from torch.nn.utils import get_total_norm

from transformer_core.layer_norm import LayerNorm
from transformer_core.model import EncoderDecoder, make_model
from transformer_core.random_seed import Seeded
from transformer_core.tasks.batch import Batch
from transformer_core.tasks.copy_task import copy_sequences

Init = Literal["xavier", "default"]
V, LENGTH, BATCH = 11, 10, 16  # the copy task of the lecture notes


class LayerGradients(NamedTuple):
    """‖∂loss/∂θ‖ of all parameters of one layer together, first layer first."""

    encoder: list[float]
    decoder: list[float]


def gradient_norms(
    N: int, *, norm_first: bool, d_model: int = 64, h: int = 4, seed: int = 0, init: Init = "xavier"
) -> LayerGradients:
    """Gradient norm of each of the N encoder and N decoder layers of an untrained model, on one batch of the copy task.

    Pre- and post-norm get the same weights, the same batch and the same LayerNorm formula: only the order differs.
    """
    with Seeded(seed):
        model = make_model(V, V, N, d_model, 4 * d_model, h, 0.0, norm_first=norm_first, norm=LayerNorm, max_len=LENGTH)
        if init == "default":
            use_default_init(model)
    sequences = copy_sequences(V, BATCH, LENGTH, generator=torch.Generator().manual_seed(seed))
    batch = Batch(sequences, sequences)
    out = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
    nll_loss(model.generator(out).flatten(0, 1), batch.tgt_y.flatten()).backward()
    return LayerGradients(_norms(model.encoder.layers), _norms(model.decoder.layers))


def use_default_init(model: EncoderDecoder) -> None:
    """Draw every linear layer anew as `torch.nn.Linear` does by itself: uniform in ±1/√(inputs)."""
    for module in model.modules():
        if isinstance(module, nn.Linear):
            module.reset_parameters()


def _norms(layers: nn.ModuleList) -> list[float]:
    return [float(get_total_norm([p.grad for p in layer.parameters() if p.grad is not None])) for layer in layers]
