"""Position embeddings that are learned: the alternative of which section 3.5 of the paper says that it does as well."""

from torch import Tensor, nn

from transformer_core.dropout import Dropout
from transformer_core.trace import tap


class LearnedPositions(nn.Module):
    """Add a learned row per position to the embeddings, then drop out: (batch, length, d_model) -> the same shape.

    The table `lut` has `max_len` rows. Training changes only the rows of positions that it has read, and beyond the
    last row there is nothing to add: ValueError. The first vector stands at position `first`, the others after it.
    """

    def __init__(self, d_model: int, dropout: float, max_len: int) -> None:
        super().__init__()
        if d_model < 1 or max_len < 1:
            raise ValueError(f"a table of positions needs at least one row and one column, not {max_len} × {d_model}")
        self.lut = nn.Embedding(max_len, d_model)
        self.dropout = Dropout(dropout)

    def forward(self, x: Tensor, first: int = 0) -> Tensor:
        rows, size = self.lut.weight.shape
        if x.dim() < 2 or x.size(-1) != size:
            raise ValueError(f"the learned positions have size {size}; they cannot be added to {tuple(x.shape)}")
        last = first + x.size(-2) - 1
        if last >= rows:
            raise ValueError(f"the table of learned positions ends with position {rows - 1}, before {last}")
        code = tap(self, "code", self.lut.weight[first : last + 1].unsqueeze(0))  # (1, length, d_model)
        return tap(self, "output", self.dropout(x + code))
