"""Feed-forward networks that replaced the paper's ReLU (section 3.3, equation 2): GELU and SwiGLU."""

from typing import Literal

from torch import Tensor, nn
from torch.nn.functional import gelu, silu

from transformer_core.feed_forward import FeedForwardSteps, PositionwiseFeedForward
from transformer_core.trace import tap

Approximate = Literal["none", "tanh"]


class GeluFeedForward(PositionwiseFeedForward):
    """FFN(x) = GELU(x W_1 + b_1) W_2 + b_2 with GELU(x) = x Φ(x), Φ the normal distribution's (Hendrycks, Gimpel 2016).

    (batch, length, d_model) -> the same shape. `approximate="tanh"` is their formula with a tanh, which GPT-2 has.
    """

    def __init__(self, d_model: int, d_ff: int, dropout: float = 0.1, approximate: Approximate = "none") -> None:
        super().__init__(d_model, d_ff, dropout)
        self.approximate: Approximate = approximate

    def steps(self, x: Tensor) -> FeedForwardSteps:
        pre_activation = tap(self, "pre_activation", self.w_1(x))
        hidden = tap(self, "hidden", self.dropout(gelu(pre_activation, approximate=self.approximate)))
        return FeedForwardSteps(pre_activation, hidden, tap(self, "output", self.w_2(hidden)))


class SwiGLUFeedForward(PositionwiseFeedForward):
    """FFN(x) = (Swish(x W_1) ⊗ x W_3) W_2 with Swish(x) = x σ(x) (Shazeer 2020, "GLU Variants", equation 6); no biases.

    (batch, length, d_model) -> the same shape. A recording has `gate`, x W_3, besides the names of the paper's network.
    With 2/3 of its d_ff it has as many parameters as that.
    """

    def __init__(self, d_model: int, d_ff: int, dropout: float = 0.1) -> None:
        super().__init__(d_model, d_ff, dropout)
        self.w_1, self.w_3 = (nn.Linear(d_model, d_ff, bias=False) for _ in range(2))
        self.w_2 = nn.Linear(d_ff, d_model, bias=False)

    def steps(self, x: Tensor) -> FeedForwardSteps:
        pre_activation = tap(self, "pre_activation", self.w_1(x))
        gate = tap(self, "gate", self.w_3(x))
        hidden = tap(self, "hidden", self.dropout(silu(pre_activation) * gate))
        return FeedForwardSteps(pre_activation, hidden, tap(self, "output", self.w_2(hidden)))
