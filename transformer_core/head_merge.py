"""How the heads become one vector again, and how much of it is whose (paper, section 3.2.2)."""

from dataclasses import dataclass

from torch import Tensor
from torch.nn.functional import linear

from transformer_core.trace import Keep, as_computed


@dataclass(frozen=True, slots=True)
class MergeSteps:
    """The end of multi-head attention for h heads of size d_k; h·d_k = d_model."""

    merged: Tensor  # (…, T, d_model) Concat(head_1, …, head_h)
    output: Tensor  # (…, T, d_model) merged · W_O, and the bias
    weight: Tensor  # (d_model, d_model) of W_O
    h: int

    @property
    def shares(self) -> Tensor:
        """What each head adds to the output, (…, h, T, d_model): their sum and the bias are the output.

        Each head meets its own d_k columns of the weight. Costs nothing until it is asked for.
        """
        heads = self.merged.unflatten(-1, (self.h, -1)).transpose(-3, -2)  # (…, h, T, d_k)
        blocks = self.weight.unflatten(-1, (self.h, -1)).transpose(0, 1)  # (h, d_model, d_k)
        return heads @ blocks.transpose(-2, -1)


def merge_steps(heads: Tensor, weight: Tensor, bias: Tensor, keep: Keep = as_computed) -> MergeSteps:
    """Concat(head_1, …, head_h) W_O.

    heads (…, h, T, d_k); weight (d_model, d_model) and bias (d_model,) of the linear layer W_O. Each step goes through
    `keep`, and the next one uses what that returns. ValueError if the sizes do not fit.
    """
    h, d_k = heads.size(-3), heads.size(-1)
    if weight.size(-1) != h * d_k:
        raise ValueError(f"{h} heads of size {d_k} do not fit a weight for vectors of size {weight.size(-1)}")
    merged = keep("merged", heads.transpose(-3, -2).flatten(-2))
    output = keep("output", linear(merged, weight, bias))
    return MergeSteps(merged, output, weight, h)
