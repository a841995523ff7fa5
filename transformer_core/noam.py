"""The learning rate of the paper (section 5.3, equation 3), known as Noam's."""

import torch

from transformer_core.model import EncoderDecoder


def noam_rate(step: int, d_model: int, factor: float = 1.0, warmup: int = 4000) -> float:
    """factor · d_model^-0.5 · min(step^-0.5, step · warmup^-1.5): up in a line, then down with 1/√step. 0 at step 0.

    ValueError if d_model or the number of warm-up steps is not positive.
    """
    if d_model < 1 or warmup <= 0:
        raise ValueError(f"d_model and the number of warm-up steps must be positive, not {d_model} and {warmup}")
    if step <= 0:
        return 0.0
    return factor * d_model**-0.5 * min(step**-0.5, step * warmup**-1.5)


class NoamOpt:
    """An optimiser whose learning rate is set by `noam_rate` before each update, the first being step 1."""

    def __init__(self, model_size: int, factor: float, warmup: int, optimizer: torch.optim.Optimizer) -> None:
        self.optimizer = optimizer
        self.model_size = model_size
        self.factor = factor
        self.warmup = warmup
        self.steps = 0

    def rate(self, step: int | None = None) -> float:
        return noam_rate(self.steps if step is None else step, self.model_size, self.factor, self.warmup)

    def step(self) -> None:
        self.steps += 1
        for group in self.optimizer.param_groups:
            group["lr"] = self.rate()
        self.optimizer.step()

    def zero_grad(self) -> None:
        self.optimizer.zero_grad()


def get_std_opt(model: EncoderDecoder, factor: float = 1.0, warmup: int = 400) -> NoamOpt:
    """Adam with the paper's β = (0.9, 0.98) and ε = 1e-9 under the Noam rate.

    The paper warms up over 4000 steps of a long training; 400 suits the copy task's few hundred.
    """
    adam = torch.optim.Adam(model.parameters(), lr=0.0, betas=(0.9, 0.98), eps=1e-9, fused=True)
    return NoamOpt(model.generator.proj.in_features, factor, warmup, adam)
