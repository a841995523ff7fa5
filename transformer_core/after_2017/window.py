"""A sliding window: each position attends to its neighbours alone (Beltagy et al. 2020, "Longformer", section 3.1)."""

import torch
from torch import Tensor


def window_mask(size: int, window: int, device: torch.device | str | None = None) -> Tensor:
    """True where query and key lie fewer than `window` positions apart, on either side: (1, size, size) bool.

    With the look-ahead mask a position sees itself and the window − 1 before it. After N layers a vector can depend on
    N · (window − 1) positions before its own. ValueError if the window has no position.
    """
    if window < 1:
        raise ValueError(f"a window holds at least the position itself, not {window} positions")
    near = torch.ones(1, size, size, dtype=torch.bool, device=device)
    return near.tril(window - 1) & near.triu(1 - window)
