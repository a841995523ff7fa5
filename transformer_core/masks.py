"""Masks (paper, sections 3.1 and 3.2.3). True = may attend, everywhere.

PyTorch's Boolean masks say the reverse, True = may not attend: `~mask` is ours. Of a mask of numbers its values tell.
"""

from typing import NamedTuple

import torch
from torch import Tensor

from transformer_core.devices import in_float64

BLOCKING = -1e3  # added to a score, such a number or a lower one leaves no weight
LISTED = 3  # of a mask's values in a message


class Masks(NamedTuple):
    """What may be attended to: in the encoder, by the decoder in the memory, and in the decoder. None hides nothing."""

    src: Tensor | None
    memory: Tensor | None
    tgt: Tensor | None


def subsequent_mask(size: int, device: torch.device | str | None = None) -> Tensor:
    """The look-ahead mask: position i may attend to positions 0…i. (1, size, size) bool, on `device`.
    ValueError for a number of positions below 0."""
    if size < 0:
        raise ValueError(f"a mask cannot have {size} positions")
    return torch.ones(1, size, size, dtype=torch.bool, device=device).tril()


def padding_mask(tokens: Tensor, pad: int = 0) -> Tensor:
    """Keys that are real tokens: (batch, length) -> (batch, 1, length) bool, one row for all queries."""
    return (tokens != pad).unsqueeze(-2)


def target_mask(tgt: Tensor, pad: int = 0) -> Tensor:
    """Padding and look-ahead together: (batch, length) -> (batch, length, length) bool."""
    return padding_mask(tgt, pad) & subsequent_mask(tgt.size(-1), device=tgt.device)


def create_masks(src: Tensor, tgt: Tensor, pad_token: int = 0) -> tuple[Tensor, Tensor]:
    """Source mask (batch, 1, 1, source) and target mask (batch, 1, target, target), ready for (batch, heads, …) scores.

    Padded *keys* are blocked in both. The notes' version blanks padded *query rows* of the target instead
    (`query_row_mask`): a padding is then hidden from real tokens only if it stands after them.
    """
    return padding_mask(src, pad_token).unsqueeze(1), target_mask(tgt, pad_token).unsqueeze(1)


def query_row_mask(tgt: Tensor, pad: int = 0) -> Tensor:
    """The notes' target mask, kept for comparison: whole rows of padded queries are blocked. (batch, length, length).

    Such a row has nothing to attend to: -inf scores make it NaN, a finite fill makes it uniform, future included.
    """
    return (tgt != pad).unsqueeze(-1) & subsequent_mask(tgt.size(-1), device=tgt.device)


def valid_pairs(lengths: Tensor, size: int) -> Tensor:
    """Pairs of real positions as an outer product: lengths (batch,) -> (batch, size, size) float of ones and zeros.
    ValueError for a length outside 0 to size."""
    if lengths.numel() and not (0 <= int(lengths.min()) and int(lengths.max()) <= size):
        raise ValueError(f"lengths must lie in 0…{size}, the padded width; got {lengths.tolist()}")
    valid = (torch.arange(size, device=lengths.device) < lengths.unsqueeze(1)).float().unsqueeze(2)  # (batch, size, 1)
    return torch.bmm(valid, valid.transpose(1, 2))


def per_head(mask: Tensor, heads: int, axis: int) -> Tensor:
    """The mask that each head of each sequence gets when `mask` (batch, T, S) is unsqueezed at `axis`.

    Scores are (batch, heads, T, S), so axis 1 gives every head its own sequence's mask. Axis 0 lines the sequences up
    with the heads. Returns (batch, heads, T, S); ValueError if the unsqueezed mask does not broadcast to that.
    """
    batch, *pair = mask.shape
    unsqueezed = mask.unsqueeze(axis)
    try:
        return unsqueezed.broadcast_to(batch, heads, *pair)
    except RuntimeError:
        wanted = (batch, heads, *pair)
        raise ValueError(f"a mask of shape {tuple(unsqueezed.shape)} does not broadcast to {wanted}") from None


def sliced(mask: Tensor, queries: int, keys: int) -> Tensor:
    """What the notes' `SelfAttention` leaves of a mask that is too large, kept for comparison: first rows and columns.

    mask (…, T, S) -> (…, queries, keys), where it has as many. Nothing says that these belong to the queries at hand:
    `attention` refuses such a mask.
    """
    return mask[..., :queries, :keys]


def boolean_mask(mask: Tensor) -> Tensor:
    """The same mask as Booleans, True = may attend: any shape -> the same shape, bool.

    Numbers may be 0 and 1 alone. ValueError, with what to write instead, for others: PyTorch adds masks of 0 and -inf
    to the scores, and what they block, a mask that says "non-zero = may attend" would let through. A mask of
    Booleans is returned as it is, its values unread.
    """
    if mask.dtype == torch.bool:
        return mask
    checked: Tensor = torch.ops.glassformer.boolean_mask(mask)
    return checked


def _boolean(mask: Tensor) -> Tensor:
    allowed = mask == 1
    if not (allowed | (mask == 0)).all():
        raise ValueError(_not_a_mask(mask.detach()))
    return allowed


if not hasattr(torch.ops.glassformer, "boolean_mask"):  # an operator, which `torch.compile` calls as it is
    torch.library.define("glassformer::boolean_mask", "(Tensor mask) -> Tensor")
    torch.library.impl("glassformer::boolean_mask", "default", _boolean)
    torch.library.register_fake("glassformer::boolean_mask", lambda mask: mask == 1)


def _not_a_mask(mask: Tensor) -> str:
    """What a mask with other numbers than 0 and 1 holds, and what to write instead."""
    values = mask.flatten() if mask.is_complex() else in_float64(mask).unique()
    others = values[values != 0]
    if values.is_complex() or values.isnan().any():
        instead = "build it from a condition, as `tokens != pad`"
    elif (others <= BLOCKING).all():
        instead = "PyTorch adds these to the scores; write `mask == 0`, which is True where they let attend"
    elif (others >= -BLOCKING).all():
        instead = "write `mask == 0` where the large numbers block, and `mask != 0` where they let attend"
    elif (values >= 0).all():
        instead = "write `mask > 0`, or the condition under which a query may attend"
    else:
        instead = (
            "numbers that are added to the scores are no mask; the path `….scores` takes them: "
            "`intervene(model, {path: lambda scores: scores + bias})`"
        )
    listed = ", ".join(f"{value:g}" for value in values[:LISTED].tolist())
    more = f" and {len(values) - LISTED} more values" if len(values) > LISTED else ""
    kind = f"{str(mask.dtype).removeprefix('torch.')} of shape {tuple(mask.shape)}"
    return (
        "a mask holds True or 1 where a query may attend, and False or 0 where it may not; "
        f"this one, {kind}, holds {listed}{more}: {instead}"
    )
