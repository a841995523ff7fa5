"""An encoder-decoder as others write them with `torch.nn`."""

import math
from typing import Any

import torch
from torch import Tensor, nn

from tests.core.build import D_FF, D_MODEL, HEADS, MAX_LEN, SRC_VOCAB, TGT_VOCAB, N, unsettle


class Positions(nn.Module):
    """A learned position code, as modules of others are: length first or not."""

    def __init__(self, length_first: bool) -> None:
        super().__init__()
        self.code = nn.Parameter(torch.randn(MAX_LEN, D_MODEL))
        self.length_first = length_first
        self.dropout = nn.Dropout(0.1)

    def forward(self, x: Tensor) -> Tensor:
        code = self.code[: x.size(0), None] if self.length_first else self.code[: x.size(1)]
        return self.dropout(x + code)


class Theirs(nn.Module):
    """An `nn.Transformer` of any options between embeddings × √d_model with learned positions and a linear layer.

    The tokens come in the layout of the transformer. Returns log-probabilities, beside something else.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__()
        sizes: dict[str, Any] = {"num_encoder_layers": N, "num_decoder_layers": N, "dim_feedforward": D_FF}
        self.transformer = nn.Transformer(D_MODEL, HEADS, **sizes | options)
        self.words: nn.Module = nn.Embedding(SRC_VOCAB, D_MODEL)
        self.answers = nn.Embedding(TGT_VOCAB, D_MODEL)
        self.length_first = not self.transformer.batch_first
        self.positions = Positions(self.length_first)
        self.head = nn.Linear(D_MODEL, TGT_VOCAB)
        unsettle(self)

    def forward(self, src: Tensor, tgt: Tensor) -> tuple[Tensor, str]:
        padding, paddings = (ids.T == 0 if self.length_first else ids == 0 for ids in (src, tgt))
        length = tgt.size(0 if self.length_first else 1)
        out = self.transformer(
            self.positions(self.words(src) * math.sqrt(D_MODEL)),
            self.positions(self.answers(tgt) * math.sqrt(D_MODEL)),
            tgt_mask=torch.triu(torch.ones(length, length, dtype=torch.bool), 1),
            src_key_padding_mask=padding,
            tgt_key_padding_mask=paddings,
            memory_key_padding_mask=padding,
        )
        return self.head(out).log_softmax(-1), "and something else"
