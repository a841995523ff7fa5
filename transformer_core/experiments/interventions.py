"""What if a part of the model did something else: changes for `intervene`, which may be joined with `|`.

An attention and a residual connection are named by their paths: `decoder.layers.1.src_attn`,
`encoder.layers.0.sublayer.1`.
"""

from collections.abc import Sequence

import torch
from torch import Tensor

from transformer_core.trace import Change

Changes = dict[str, Change]


def head_off(attention: str, head: int) -> Changes:
    """The head's output is 0, so that its d_k columns of W_O add nothing (paper, section 3.2.2).

    ValueError, when the model runs, if the attention has no such head.
    """

    def off(heads: Tensor) -> Tensor:  # (batch, h, T, d_k)
        return _with(heads, head, torch.zeros_like(heads[:, 0]))

    return {f"{attention}.heads": off}


def head_uniform(attention: str, head: int) -> Changes:
    """The head's scores are all equal, so that each query looks at every key that its mask lets it see alike.

    ValueError, when the model runs, if the attention has no such head.
    """

    def equal(scores: Tensor) -> Tensor:  # (batch, h, T, S)
        return _with(scores, head, torch.zeros_like(scores[:, 0]))

    return {f"{attention}.scores": equal}


def row_by_hand(attention: str, head: int, query: int, row: Sequence[float]) -> Changes:
    """One row of the head's weights is `row`, divided by its sum: on the first keys; further ones get 0.

    While the output is still too short to have this query, nothing changes. The mask is not asked: the row should be 0
    where it blocks. ValueError if the row is no row of weights and, when the model runs, if it is longer than the keys
    are many or the attention has no such head.
    """
    written = normalised(row)

    def overwritten(weights: Tensor) -> Tensor:  # (batch, h, T, S)
        own = weights[:, _checked(weights, head)].clone()
        if query < own.size(1):
            if len(written) > own.size(2):
                raise ValueError(f"a row of {len(written)} weights for {own.size(2)} keys")
            own[:, query] = 0.0
            own[:, query, : len(written)] = written.to(own)
        return _with(weights, head, own)

    return {f"{attention}.weights": overwritten}


def without_residual(connection: str) -> Changes:
    """The sub-layer's output goes on alone, x is not added (paper, section 3.1)."""
    return {f"{connection}.skip": torch.zeros_like}


def without_positions() -> Changes:
    """No position code is added to the embeddings, on either side (paper, section 3.5)."""
    return {f"{side}.1.code": torch.zeros_like for side in ("src_embed", "tgt_embed")}


def normalised(row: Sequence[float]) -> Tensor:
    """Weights divided by their sum: (n,) float64, on the CPU. ValueError unless they are finite, none below 0
    and not all 0."""
    weights = torch.tensor(row, dtype=torch.double, device="cpu")
    if not weights.numel() or not weights.isfinite().all() or weights.min() < 0 or not weights.any():
        raise ValueError(f"a row of weights is finite, nowhere negative and not all 0, unlike {list(row)}")
    largest = weights.max()  # first by it, for a sum may be beyond what a number can be
    return weights / largest / (weights / largest).sum()


def _with(values: Tensor, head: int, instead: Tensor) -> Tensor:
    """(batch, h, …) with one head's values replaced by (batch, …)."""
    changed = values.clone()
    changed[:, _checked(values, head)] = instead
    return changed


def _checked(values: Tensor, head: int) -> int:
    if not 0 <= head < values.size(1):
        raise ValueError(f"there is no head {head} among {values.size(1)}")
    return head
