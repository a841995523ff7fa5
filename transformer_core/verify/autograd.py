"""Autograd as the judge: the gradient of a loss by every value on the way to it, found without a formula of ours."""

from collections.abc import Callable
from functools import partial

import torch
from torch import Tensor, nn

from transformer_core.backward import Gradients
from transformer_core.trace import intervene, record


def by_autograd(model: nn.Module, loss: Callable[[], Tensor]) -> Gradients:
    """The gradient of `loss()`, a number that comes of running the model, by every recorded value and every parameter.

    Of a value by adding zeros to it, once, and asking for the gradient of those. 0 where the loss does not depend on
    it.
    """
    with torch.no_grad(), record(model) as trace:
        loss()
    zeros = {path: torch.zeros_like(value, requires_grad=True) for path, value in trace.items()}
    unchanged = set(zeros)

    def plus_zero(path: str, value: Tensor) -> Tensor:
        if path not in unchanged:  # a norm's output is marked by the norm and by the connection that it stands in
            return value
        unchanged.remove(path)
        return value + zeros[path]

    with intervene(model, {path: partial(plus_zero, path) for path in zeros}):
        reached = loss()
    named = dict(model.named_parameters()) | zeros
    return dict(zip(named, torch.autograd.grad(reached, list(named.values()), materialize_grads=True), strict=True))
