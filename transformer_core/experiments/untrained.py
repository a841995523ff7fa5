"""What models say before any training: new ones, each from a seed of its own, decode the same source."""

from typing import NamedTuple

import torch
from torch import Tensor

from transformer_core.decoding.greedy import greedy_decode
from transformer_core.masks import padding_mask
from transformer_core.model import make_model
from transformer_core.random_seed import Seeded


class Untrained(NamedTuple):
    """The size of the models, and what they are given."""

    src: tuple[int, ...]
    start: int  # the token that every output begins with
    vocab: int
    N: int
    d_model: int
    d_ff: int
    h: int


def outputs_of_untrained(given: Untrained, seeds: range) -> Tensor:
    """Greedy outputs (seeds, S), the start token included. Torch's own seed stays as it was."""
    src = torch.tensor([given.src])
    outputs = []
    for seed in seeds:
        with Seeded(seed):
            model = make_model(given.vocab, given.vocab, given.N, given.d_model, given.d_ff, given.h).eval()
        with torch.no_grad():
            outputs.append(greedy_decode(model, src, padding_mask(src), src.size(1), given.start)[0])
    return torch.stack(outputs)
