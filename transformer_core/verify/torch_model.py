"""One of our models as somebody else would have written it with `torch.nn`, for `explain` to be tried on."""

import math
from typing import cast

import torch
from torch import Tensor, nn

from transformer_core.embeddings import Embeddings
from transformer_core.learned_positions import LearnedPositions
from transformer_core.masks import subsequent_mask
from transformer_core.model import EncoderDecoder
from transformer_core.positions import PositionalEncoding
from transformer_core.tasks.vocabulary import PAD
from transformer_core.verify.parity import torch_transformer


class Positions(nn.Module):
    """Adds a position code: (batch, length, d_model) -> the same shape."""

    code: Tensor  # (1, longest, d_model)

    def __init__(self, code: Tensor) -> None:
        super().__init__()
        self.register_buffer("code", code)

    def forward(self, x: Tensor) -> Tensor:
        return x + self.code[:, : x.size(1)]


class TorchModel(nn.Module):
    """Two `nn.Embedding`, `nn.Transformer` and an `nn.Linear` with the weights of `ours`, in evaluation mode.

    source (batch, S), target (batch, T) -> logits (batch, T, vocab). Every module is its own; the weights are shared.
    """

    def __init__(self, ours: EncoderDecoder) -> None:
        super().__init__()
        source, target = (cast(nn.Sequential, each) for each in (ours.src_embed, ours.tgt_embed))
        self.source, self.target = (
            nn.Embedding.from_pretrained(cast(Embeddings, each[0]).lut.weight) for each in (source, target)
        )
        self.positions, self.target_positions = (Positions(_code(each[1])) for each in (source, target))
        self.transformer = torch_transformer(ours)
        last = ours.generator.proj
        with torch.device("meta"):  # nothing is drawn or allocated: the weights take their places
            self.head = nn.Linear(last.in_features, last.out_features)
        self.head.load_state_dict(last.state_dict(), assign=True)
        self.eval()

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        scale = math.sqrt(self.source.embedding_dim)
        out = self.transformer(
            self.positions(self.source(source) * scale),
            self.target_positions(self.target(target) * scale),
            tgt_mask=~subsequent_mask(target.size(1))[0],  # True = may not attend, over there
            src_key_padding_mask=source == PAD,
            tgt_key_padding_mask=target == PAD,
            memory_key_padding_mask=source == PAD,
        )
        return self.head(out)


def _code(positions: nn.Module) -> Tensor:
    """What is added at each position: (1, longest, d_model)."""
    if isinstance(positions, LearnedPositions):
        return positions.lut.weight.detach().unsqueeze(0)
    return cast(PositionalEncoding, positions).pe
