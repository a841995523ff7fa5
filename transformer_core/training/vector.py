"""A model's parameters as one vector: one norm and one step of the optimiser for all of them together."""

from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.utils import parameters_to_vector, vector_to_parameters


class ParameterVector:
    """`values`, (parameters,) in the order of `model.parameters()`; each of the model's own is a view of its part.

    So is `values.grad` of the gradients, from `begin` until the optimiser lets go of it.
    """

    def __init__(self, model: nn.Module) -> None:
        self._named = dict(model.named_parameters())
        self.values = nn.Parameter(parameters_to_vector(self._named.values()).detach())
        self._share()
        ends = torch.tensor([parameter.numel() for parameter in self._named.values()]).cumsum(0).tolist()
        self.parts = {
            name: slice(end - parameter.numel(), end)
            for (name, parameter), end in zip(self._named.items(), ends, strict=True)
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Pickled, each tensor has memory of its own."""
        vars(self).update(state)
        self._share()

    def _share(self) -> None:
        vector_to_parameters(self.values.detach(), self._named.values())

    def begin(self) -> None:
        """Room for a gradient, whose numbers are still to come."""
        self.values.grad = torch.empty_like(self.values)

    def keep(self, path: str, gradient: Tensor) -> None:
        """Put the gradient of a parameter in its place; what is none is dropped."""
        if path in self.parts:
            self.gradient[self.parts[path]] = gradient.flatten()

    def backward(self, loss: Tensor) -> None:
        """The gradient of a loss by autograd, which adds each parameter's where its place is."""
        self.gradient.zero_()
        for name, parameter in self._named.items():
            parameter.grad = self.gradient[self.parts[name]].view_as(parameter)
        loss.backward()
        for parameter in self._named.values():
            parameter.grad = None

    def gradient_norm(self, names: Iterable[str] | None = None) -> Tensor:
        """Of these parameters together, or of all."""
        if names is None:
            return self.gradient.norm()
        parts = [self.gradient[self.parts[name]] for name in names]
        return torch.cat(parts).norm() if parts else self.values.new_zeros(())

    @property
    def gradient(self) -> Tensor:
        assert self.values.grad is not None, "there is no gradient now"
        return self.values.grad
