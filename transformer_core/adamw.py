"""AdamW, which makes steps of gradients, taken apart (paper, section 5.3; its decay: Loshchilov and Hutter 2019)."""

from typing import NamedTuple

from torch import Tensor

BETAS, EPS = (0.9, 0.98), 1e-9  # the paper's


class AdamWSteps(NamedTuple):
    """One update of a tensor of weights; all have its shape."""

    m: Tensor  # running mean of the gradient
    v: Tensor  # running mean of its square
    m_hat: Tensor  # both corrected: after t updates from 0 a mean has reached 1 − βᵗ of what it is to be
    v_hat: Tensor
    decay: Tensor  # what weight decay takes: −rate · λ · weight
    step: Tensor  # what is added to the weight, the decay included


def adamw_steps(
    weight: Tensor,
    gradient: Tensor,
    m: Tensor,
    v: Tensor,
    t: int,
    *,
    rate: float,
    betas: tuple[float, float] = BETAS,
    eps: float = EPS,
    weight_decay: float = 0.0,
) -> AdamWSteps:
    """Update number t, counted from 1; m and v are those of the update before, 0 at first.

    m = β₁m + (1 − β₁)g;  v = β₂v + (1 − β₂)g²;  Δw = −rate · (λw + m̂ / (√v̂ + ε))
    """
    beta_1, beta_2 = betas
    m = beta_1 * m + (1 - beta_1) * gradient
    v = beta_2 * v + (1 - beta_2) * gradient**2
    m_hat, v_hat = m / (1 - beta_1**t), v / (1 - beta_2**t)
    decay = 0.0 - rate * weight_decay * weight  # no −0 where nothing decays
    return AdamWSteps(m, v, m_hat, v_hat, decay, decay - rate * m_hat / (v_hat.sqrt() + eps))
