"""Copies of a module with parameters of their own."""

import copy

from torch import nn


def clones(module: nn.Module, N: int) -> nn.ModuleList:
    """N deep copies: alike at first, then trained apart. ValueError unless there is at least one."""
    if N < 1:
        raise ValueError(f"a stack needs at least one layer, not {N}")
    return nn.ModuleList(copy.deepcopy(module) for _ in range(N))
