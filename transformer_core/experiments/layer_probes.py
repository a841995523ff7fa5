"""What a linear probe reads from the vectors of each layer: the word itself, the word before it, its position.

A probe is a matrix fitted by least squares that maps a vector to a label (Alain and Bengio 2016, arXiv:1610.01644).
What it reads on sequences that it was not fitted on, one linear layer of the model could read as well.
"""

from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import one_hot

from transformer_core.masks import padding_mask
from transformer_core.model import EncoderDecoder
from transformer_core.tasks.vocabulary import PAD
from transformer_core.trace import record

LABELS = ("word", "before", "position")
RIDGE = 1e-3  # so that directions that no vector has do not matter


class LayerProbes(NamedTuple):
    """Of `tokens` tokens that no probe was fitted on, how many are read right."""

    right: Tensor  # (1 + layers, labels) int64: of the embeddings with positions, then after each layer of the encoder
    guessed: Tensor  # (labels,) int64: by whoever always says the label that is commonest
    tokens: int


def layer_probes(model: EncoderDecoder, src: Tensor) -> LayerProbes:
    """Fit on the first half of the sequences src (n, S) and count on the other; the first token of each has none before
    it and is left out. ValueError for fewer than two sequences."""
    if len(src) < 2:
        raise ValueError(f"a probe is fitted on some sequences and tried on others, of which {len(src)} are too few")
    with torch.no_grad(), record(model) as trace:
        model.encode(src, padding_mask(src, PAD))
    layers = range(len(model.encoder.layers))
    streams = [trace["src_embed.1.output"], *(trace[f"encoder.layers.{n}.sublayer.1.output"] for n in layers)]
    positions = torch.arange(1, src.size(1), device=src.device).expand(len(src), -1)
    labels = dict(zip(LABELS, (src[:, 1:], src[:, :-1], positions)))
    real = src[:, 1:] != PAD
    fitted, tried = real.clone(), real.clone()
    fitted[len(src) // 2 :] = False
    tried[: len(src) // 2] = False
    right = [
        [_right(x[:, 1:][fitted], of[fitted], x[:, 1:][tried], of[tried]) for of in labels.values()] for x in streams
    ]
    guessed = [int((of[tried] == of[fitted].mode().values).sum()) for of in labels.values()]
    return LayerProbes(torch.tensor(right), torch.tensor(guessed), int(tried.sum()))


def _right(x: Tensor, labels: Tensor, other_x: Tensor, other_labels: Tensor) -> int:
    """Fit a probe, and count the others that it reads right."""
    a, others = (torch.cat([one, torch.ones_like(one[:, :1])], dim=1).double() for one in (x, other_x))
    targets = one_hot(labels).double()
    weights = torch.linalg.solve(a.T @ a + RIDGE * torch.eye(a.size(1), dtype=a.dtype, device=a.device), a.T @ targets)
    return int(((others @ weights).argmax(1) == other_labels).sum())
