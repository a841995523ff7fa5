"""Token embeddings (paper, section 3.4)."""

import math

from torch import Tensor, nn

from transformer_core.devices import check_devices
from transformer_core.trace import tap


class Embeddings(nn.Module):
    """A table with one row per token; looking a token up gives its row times √d_model.

    ids (batch, length) int64 in 0…vocab-1  ->  (batch, length, d_model)
    With `padding_idx` that row of the table is zero and is never trained. ValueError if ids and table lie on two
    devices.
    """

    def __init__(self, d_model: int, vocab: int, padding_idx: int | None = None) -> None:
        super().__init__()
        if d_model < 1 or vocab < 1:
            raise ValueError(f"an embedding table needs at least one row and one column, not {vocab} × {d_model}")
        self.lut = nn.Embedding(vocab, d_model, padding_idx=padding_idx)
        self.d_model = d_model

    def forward(self, ids: Tensor) -> Tensor:
        rows = tap(self, "rows", self._rows(ids))  # (batch, length, d_model)
        return tap(self, "output", rows * math.sqrt(self.d_model))

    def _rows(self, ids: Tensor) -> Tensor:
        check_devices(token_ids=ids, the_table_of_embeddings=self.lut.weight)
        try:
            return self.lut(ids)
        except IndexError:
            vocab, (least, most) = self.lut.num_embeddings, ids.aminmax()
            given = f"{int(least)}…{int(most)}"
            raise ValueError(f"token ids must lie in 0…{vocab - 1}, the rows of the table; got {given}") from None


def largest_differences(x: Tensor) -> Tensor:
    """max |x_i - x_j| over the dimensions, for every pair of positions: (length, d_model) -> (length, length).

    Exactly 0 where two positions have the same vector.
    """
    return (x.unsqueeze(1) - x.unsqueeze(0)).abs().amax(-1)
