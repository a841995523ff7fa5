"""How far back a position hears after each step: the path lengths of table 1, found on real layers by autograd."""

import torch
from torch import Tensor, nn

from transformer_core.experiments.complexity import Kind

WIDTH = 2  # of the vectors; whatever it is, the same positions are heard


def heard(kind: Kind, n: int, kernel: int = 3, *, dilated: bool = True) -> Tensor:
    """Which inputs the last of n positions depends on after 1, 2, … steps, until it hears the first: (steps, n) bool.

    A step is a layer, of a recurrence a state. Convolutions look back only, as a decoder's must; with `dilated` their
    gaps are `kernel` times as wide from layer to layer. ValueError if there is nothing to hear.
    """
    if n < 1 or kernel < 2:
        raise ValueError(f"a kernel of {kernel} over {n} position(s) leaves nothing to hear")
    rows: list[Tensor] = []
    while not rows or not rows[-1][0]:
        x = torch.ones(1, n, WIDTH, dtype=torch.float64, requires_grad=True)
        y = _after(kind, x, len(rows) + 1, kernel, dilated)
        (gradient,) = torch.autograd.grad(y[0, -1].sum(), x)
        rows.append(gradient[0].abs().sum(-1) > 0)
    return torch.stack(rows)


def _after(kind: Kind, x: Tensor, steps: int, kernel: int, dilated: bool) -> Tensor:
    """Through `steps` layers, or the last `steps` states of a recurrence: (1, n, WIDTH) -> same, or its last row."""
    if kind == "attention":
        return (x @ x.transpose(1, 2)).softmax(-1) @ x
    if kind == "recurrent":
        cell = _alike(nn.RNNCell(WIDTH, WIDTH, bias=False))
        state = x.new_zeros(1, WIDTH)
        for at in range(x.size(1)):
            if at == x.size(1) - steps:
                state = state.detach()  # whatever came earlier has a longer way
            state = cell(x[:, at], state)
        return state.unsqueeze(1)
    y = x.transpose(1, 2)
    for layer in range(steps):
        gap = kernel**layer if dilated else 1
        convolution = _alike(nn.Conv1d(WIDTH, WIDTH, kernel, dilation=gap, bias=False))
        y = convolution(nn.functional.pad(y, ((kernel - 1) * gap, 0)))
    return y.transpose(1, 2)


def _alike(layer: nn.Module) -> nn.Module:
    """All weights alike and positive, so that no two ways cancel each other."""
    for parameter in layer.parameters():
        nn.init.constant_(parameter, 1 / parameter[0].numel())
    return layer.double()  # the gradient shrinks from step to step
