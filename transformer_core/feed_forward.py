"""Position-wise feed-forward network (paper, section 3.3)."""

from typing import NamedTuple

from torch import Tensor, nn

from transformer_core.dropout import Dropout
from transformer_core.trace import tap


class FeedForwardSteps(NamedTuple):
    """The stages of equation (2)."""

    pre_activation: Tensor  # (batch, length, d_ff)  x W_1 + b_1
    hidden: Tensor  # (batch, length, d_ff)  max(0, ·), then dropout
    output: Tensor  # (batch, length, d_model)  hidden W_2 + b_2


class PositionwiseFeedForward(nn.Module):
    """FFN(x) = max(0, x W_1 + b_1) W_2 + b_2, equation (2): the same two matrices at every position.

    (batch, length, d_model) -> the same shape. ValueError for vectors of another size.
    """

    def __init__(self, d_model: int, d_ff: int, dropout: float = 0.1) -> None:
        super().__init__()
        if d_model < 1 or d_ff < 1:
            raise ValueError(f"a feed-forward network needs at least one neuron per layer, not {d_model} and {d_ff}")
        self.w_1 = nn.Linear(d_model, d_ff)
        self.w_2 = nn.Linear(d_ff, d_model)
        self.dropout = Dropout(dropout)

    def steps(self, x: Tensor) -> FeedForwardSteps:
        if x.size(-1) != self.w_1.in_features:
            raise ValueError(
                f"this feed-forward network takes vectors of size {self.w_1.in_features}, not {x.size(-1)}"
            )
        pre_activation = tap(self, "pre_activation", self.w_1(x))
        hidden = tap(self, "hidden", self.dropout(pre_activation.relu()))
        return FeedForwardSteps(pre_activation, hidden, tap(self, "output", self.w_2(hidden)))

    def forward(self, x: Tensor) -> Tensor:
        return self.steps(x).output
