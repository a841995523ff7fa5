"""Copies of a module with parameters of their own."""

import copy

from torch import nn


def clones(module: nn.Module, N: int) -> nn.ModuleList:
    """N deep copies: alike at first, then trained apart."""
    return nn.ModuleList(copy.deepcopy(module) for _ in range(N))
