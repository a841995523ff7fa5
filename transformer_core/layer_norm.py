"""Layer normalisation, in the formula of the Annotated Transformer and the lecture notes (paper, section 3.1)."""

import math
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable
from torch.compiler import is_compiling

from transformer_core.trace import Keep, as_computed, only_learns, tap_of


class LayerNormSteps(NamedTuple):
    """The stages of one normalisation; mean and std are (…, 1), the others (…, features)."""

    mean: Tensor
    std: Tensor
    normalised: Tensor
    output: Tensor


def layer_norm_steps(
    x: Tensor, a_2: Tensor, b_2: Tensor, eps: float = 1e-6, keep: Keep = as_computed
) -> LayerNormSteps:
    """a_2 · (x - mean) / (std + eps) + b_2 over the last axis: x (…, features), a_2 and b_2 (features,).

    The standard deviation is the unbiased one (÷ (n-1)) and eps is added to it. `torch.nn.LayerNorm` divides by
    √(biased variance + eps) instead; for n features the two differ by a factor √((n-1)/n), as eps goes to 0. Each step
    goes through `keep`, and the next one uses what that returns.
    """
    mean = keep("mean", x.mean(-1, keepdim=True))
    centred = x - mean
    # The length of the centred vector over √(n-1): x.std() by definition, and a whole training step gains a tenth.
    std = keep("std", torch.linalg.vector_norm(centred, dim=-1, keepdim=True) / math.sqrt(x.size(-1) - 1))
    normalised = keep("normalised", centred / (std + eps))
    return LayerNormSteps(mean, std, normalised, keep("output", torch.addcmul(b_2, a_2, normalised)))


def normalisation_gradient(gradient: Tensor, along: Tensor, normalised: Tensor, std: Tensor, eps: float) -> Tensor:
    """∂x = (∂ν − mean ∂ν) / (σ + ε) − ν · Σ(∂ν · ν) / ((n − 1) σ), of ν = (x − mean) / (σ + ε) with n features.

    gradient is ∂ν and along Σ(∂ν · ν), (…, 1). The first part lets neither a common shift nor, with the second, a
    common stretch of x through. Where all of x is equal, σ = 0, so is ν: the second part is 0.
    """
    n = normalised.size(-1)
    centred = torch.sub(gradient, gradient.sum(-1, keepdim=True), alpha=1 / n)
    stretch = along / std.clamp_min(torch.finfo(std.dtype).tiny)
    return torch.addcmul(centred / (std + eps), normalised, stretch, value=-1 / (n - 1))


class GradientByFormula(torch.autograd.Function):
    """The output of `layer_norm_steps`, whose gradient is `normalisation_gradient` instead of the way back through
    every step: half as much is kept for it. It cannot be differentiated once more; that of the steps can."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, a_2: Tensor, b_2: Tensor, eps: float) -> Tensor:
        steps = layer_norm_steps(x, a_2, b_2, eps)
        ctx.save_for_backward(a_2, steps.normalised, steps.std)
        ctx.eps = eps
        return steps.output

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        a_2, normalised, std = ctx.saved_tensors
        products, before = gradient * normalised, gradient * a_2
        along = (products * a_2).sum(-1, keepdim=True)
        of_x = normalisation_gradient(before, along, normalised, std, ctx.eps)
        return of_x, products.sum_to_size(a_2.shape), gradient.sum_to_size(a_2.shape), None


def torch_layer_norm_steps(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> LayerNormSteps:
    """weight · (x - mean) / √(variance + eps) + bias over the last axis: the formula of `torch.nn.LayerNorm`.

    The variance is the biased one (÷ n) and eps is inside the root; `std` here is the whole root.
    """
    mean = x.mean(-1, keepdim=True)
    std = (x.var(-1, correction=0, keepdim=True) + eps).sqrt()
    normalised = (x - mean) / std
    return LayerNormSteps(mean, std, normalised, weight * normalised + bias)


class LayerNorm(nn.Module):
    """Bring every position's vector to mean 0 and spread 1, then scale by a_2 and shift by b_2 (both learned).

    (…, features) -> the same shape. ValueError for vectors of another size, or of fewer than two numbers.
    """

    def __init__(self, features: int, eps: float = 1e-6) -> None:
        super().__init__()
        if features < 2:
            raise ValueError(f"the spread of {features} feature(s) is undefined; LayerNorm needs at least 2")
        self.a_2 = nn.Parameter(torch.ones(features))
        self.b_2 = nn.Parameter(torch.zeros(features))
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        if x.size(-1) != self.a_2.numel():
            raise ValueError(f"this LayerNorm takes vectors of size {self.a_2.numel()}, not {x.size(-1)}")
        if only_learns(x) and not is_compiling():  # a compiler puts the steps together by itself
            output: Tensor = GradientByFormula.apply(x, self.a_2, self.b_2, self.eps)
            return output
        return layer_norm_steps(x, self.a_2, self.b_2, self.eps, tap_of(self)).output
