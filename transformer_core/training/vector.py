"""A model's parameters as one vector: one norm and one step of the optimiser for all of them together."""

from collections.abc import Iterable
from itertools import pairwise
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.utils import parameters_to_vector, vector_to_parameters


class ParameterVector:
    """`values`, (parameters,); each of the model's own is a view of its part.

    They stand in the order of `model.parameters()`, but of modules in a list all weights come before all biases: what
    W_Q, W_K and W_V are multiplied with goes into one product. So stands `values.grad`, from `begin` until `end`.
    """

    def __init__(self, model: nn.Module) -> None:
        self._named = in_order(dict(model.named_parameters()))
        self.values = nn.Parameter(parameters_to_vector(self._named.values()).detach())
        ends = torch.tensor([parameter.numel() for parameter in self._named.values()]).cumsum(0).tolist()
        self.parts = {
            name: slice(end - parameter.numel(), end)
            for (name, parameter), end in zip(self._named.items(), ends, strict=True)
        }
        self._share()

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name not in ("_gradient", "_places")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Pickled, each tensor has memory of its own."""
        vars(self).update(state)
        self._share()

    def _share(self) -> None:
        vector_to_parameters(self.values.detach(), self._named.values())
        self._gradient = torch.empty_like(self.values, requires_grad=False)
        self._places: dict[tuple[str, ...], Tensor] = {}
        self.end()

    def begin(self) -> None:
        """Room for a gradient, whose numbers are still to come."""
        self._resize(self._gradient.nbytes)
        self.values.grad = self._gradient

    def end(self) -> None:
        """Let go of it: what rests needs none."""
        self.values.grad = None
        self._resize(0)

    def _resize(self, size: int) -> None:
        """Where the memory of the CPU is, runs rest by the dozen; not every other device takes memory back."""
        if self._gradient.is_cpu:
            self._gradient.untyped_storage().resize_(size)

    def place(self, paths: tuple[str, ...]) -> Tensor:
        """Where the gradients of these parameters belong while there is one. ValueError unless they stand together."""
        if paths not in self._places:
            self._places[paths] = self._place(paths)
        return self._places[paths]

    def _place(self, paths: tuple[str, ...]) -> Tensor:
        parts = [self.parts[path] for path in paths]
        if any(one.stop != following.start for one, following in pairwise(parts)):
            raise ValueError(f"these do not stand together: {', '.join(paths)}")
        return self._gradient[parts[0].start : parts[-1].stop].view(-1, *self._named[paths[0]].shape[1:])

    def backward(self, loss: Tensor) -> None:
        """The gradient of a loss by autograd, which adds each parameter's where its place is."""
        self.gradient.zero_()
        for name, parameter in self._named.items():
            parameter.grad = self.place((name,))
        loss.backward()
        for parameter in self._named.values():
            parameter.grad = None

    def gradient_norm(self, names: Iterable[str]) -> Tensor:
        """Of these parameters together."""
        parts = [self.place((name,)).view(-1) for name in names]
        return torch.linalg.vector_norm(torch.cat(parts)) if parts else self.values.new_zeros(())

    @property
    def gradient(self) -> Tensor:
        assert self.values.grad is not None, "there is no gradient now"
        return self.values.grad


def in_order(named: dict[str, nn.Parameter]) -> dict[str, nn.Parameter]:
    """As the vector has them."""
    kinds: dict[str, list[str]] = {}  # of the modules of one list: their parameters, kind by kind
    for name in named:
        owner, _, kind = name.rpartition(".")
        listed, _, n = owner.rpartition(".")
        kinds.setdefault(f"{listed}.*.{kind}" if n.isdigit() else owner, []).append(name)
    return {name: named[name] for names in kinds.values() for name in names}
