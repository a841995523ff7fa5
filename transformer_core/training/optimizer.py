"""AdamW of a run, whose parameters are one vector (paper, section 5.3; taken apart in `transformer_core.adamw`)."""

from collections.abc import Mapping

import torch
from torch import Tensor
from torch.optim.adamw import adamw

from transformer_core.adamw import BETAS, EPS
from transformer_core.training.vector import ParameterVector


class VectorAdamW:
    """The same numbers as `torch.optim.AdamW` without decay gives, for one vector."""

    def __init__(self, vector: ParameterVector) -> None:
        self.vector = vector
        self.rate = 0.0
        self.updates = torch.zeros((), device=vector.values.device)
        self.moments: tuple[Tensor, ...] = ()  # m and v, from the first step on

    def step(self) -> None:
        """One update, by the gradient that there is."""
        values, gradient, (beta1, beta2) = self.vector.values, self.vector.gradient, BETAS
        self.moments = self.moments or (torch.zeros_like(gradient), torch.zeros_like(gradient))
        m, v = self.moments
        with torch.no_grad():
            adamw(  # not the class: that imports PyTorch's compiler, 75 MB
                [values], [gradient], [m], [v], [], [self.updates], fused=True, amsgrad=False, maximize=False,
                lr=self.rate, beta1=beta1, beta2=beta2, eps=EPS, weight_decay=0.0,
            )  # fmt: skip

    def take(self, step: int, weights: Tensor, state: Mapping[str, Tensor]) -> None:
        """Be where another was after `step` updates, with these weights (parameters,), and these m and v, if they are
        known."""
        with torch.no_grad():
            self.vector.values.copy_(weights)
        if state:
            m, v = (state[name].to(self.vector.values.device, copy=True) for name in ("m", "v"))
            self.moments = m, v
            self.updates.fill_(step)

    def zero_grad(self) -> None:
        self.vector.end()
