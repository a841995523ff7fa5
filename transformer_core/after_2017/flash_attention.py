"""FlashAttention (Dao et al. 2022; in the order of Dao 2023, algorithm 1): equation (1) in tiles, the same numbers.

The scores are never written to the large memory, where queries, keys, values and outputs are. For a few queries at a
time the keys and values come past in tiles. With the maximum m and the sum ℓ of the exponentials so far, a tile S of
scores changes the output so far, O:

m′ = max(m, max S),  ℓ′ = e^(m − m′) ℓ + Σ e^(S − m′),  O′ = e^(m − m′) O + e^(S − m′) V,  and at the end O / ℓ
"""

import math
from collections.abc import Iterator
from typing import NamedTuple

import torch
from torch import Tensor

from transformer_core.masks import boolean_mask


class Traffic(NamedTuple):
    """Numbers read from the large memory, and written to it. A mask is not counted: it follows from the positions."""

    read: int = 0
    written: int = 0

    def bytes(self, size: int = 4) -> int:
        """Both together, of numbers of so many bytes."""
        return (self.read + self.written) * size


class Running(NamedTuple):
    """What is kept of some queries while keys come past."""

    maximum: Tensor  # (…, queries, 1)  m, of the scores so far
    total: Tensor  # (…, queries, 1)  ℓ, of e^(score − m)
    output: Tensor  # (…, queries, d_v)  O, of e^(score − m) · v


class Tile(NamedTuple):
    """One step of the work: some queries meet some keys."""

    queries: range
    keys: range
    scores: Tensor  # (…, queries, keys), the blocked ones -inf
    running: Running  # after this tile
    traffic: Traffic  # since the beginning


def flash_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, rows: int = 128, columns: int = 64
) -> Tensor:
    """As `attention(query, key, value, mask)`: (…, T, d_k), (…, S, d_k) and (…, S, d_v) -> (…, T, d_v).

    `rows` queries and `columns` keys make a tile. ValueError as for `tiles`.
    """
    found = query.new_empty(*query.shape[:-1], value.size(-1))
    for tile in tiles(query, key, value, mask, rows, columns):
        found[..., tile.queries.start : tile.queries.stop, :] = tile.running.output / tile.running.total
    return found


def tiles(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, rows: int = 128, columns: int = 64
) -> Iterator[Tile]:
    """The work in its order. A tile in which the mask blocks everything is left out.

    ValueError if a tile has no row or no column, or a query has no key that it may attend to.
    """
    if rows < 1 or columns < 1:
        raise ValueError(f"a tile has at least one query and one key, not {rows} and {columns}")
    seen = None if mask is None else boolean_mask(mask)
    if seen is not None and not bool(seen.any(-1).all()):
        raise ValueError("a query that may attend to no key has no output")
    read = written = 0
    for queries in _parts(query.size(-2), rows):
        q = query[..., queries.start : queries.stop, :]
        read += q.numel()
        running = begun(q, value.size(-1))
        for keys in _parts(key.size(-2), columns):
            within = None if seen is None else _part(seen, queries, keys)
            if within is not None and not bool(within.any()):
                continue
            k, v = (each[..., keys.start : keys.stop, :] for each in (key, value))
            read += k.numel() + v.numel()
            scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
            scores = scores if within is None else scores.masked_fill(~within, -math.inf)
            running = met(running, scores, v)
            yield Tile(queries, keys, scores, running, Traffic(read, written))
        written += running.output.numel() + running.total.numel()  # the output, and m + ln ℓ for the way back


def begun(q: Tensor, d_v: int) -> Running:
    """Before the first keys: of queries (…, queries, d_k)."""
    shape = q.shape[:-1]
    return Running(q.new_full((*shape, 1), -math.inf), q.new_zeros(*shape, 1), q.new_zeros(*shape, d_v))


def met(before: Running, scores: Tensor, v: Tensor) -> Running:
    """After these keys too: scores (…, queries, keys), v (…, keys, d_v)."""
    maximum = torch.maximum(before.maximum, scores.amax(-1, keepdim=True))
    finite = maximum.clamp_min(torch.finfo(scores.dtype).min)  # where all was blocked so far: -inf − -inf is no number
    fades, exponentials = (before.maximum - finite).exp(), (scores - finite).exp()
    total = fades * before.total + exponentials.sum(-1, keepdim=True)
    return Running(maximum, total, fades * before.output + exponentials @ v)


def _parts(length: int, size: int) -> list[range]:
    return [range(first, min(first + size, length)) for first in range(0, length, size)]


def _part(mask: Tensor, queries: range, keys: range) -> Tensor:
    """What of a mask belongs to a tile; an axis of size 1 stands for all."""
    seen = mask if mask.size(-2) == 1 else mask[..., queries.start : queries.stop, :]
    return seen if seen.size(-1) == 1 else seen[..., keys.start : keys.stop]


def traffic(
    T: int, S: int, d_k: int, d_v: int, rows: int, columns: int, *, causal: bool = False, heads: int = 1
) -> Traffic:
    """That of all tiles: T d_k + ⌈T / rows⌉ S (d_k + d_v) numbers read and T (d_v + 1) written for each head.

    Under a `causal` mask, the look-ahead mask of T = S positions, the keys of a row of tiles end where its queries do.
    """
    ends = [queries.stop for queries in _parts(T, rows)]
    keys = sum(min(S, -(-end // columns) * columns) if causal else S for end in ends)
    return Traffic(heads * (T * d_k + keys * (d_k + d_v)), heads * T * (d_v + 1))


def standard_traffic(T: int, S: int, d_k: int, d_v: int, *, heads: int = 1) -> Traffic:
    """That of equation (1) step by step (Dao et al. 2022, algorithm 0): the scores are written, read for the softmax,
    written as weights and read again."""
    return Traffic(heads * ((T + S) * d_k + 2 * T * S + S * d_v), heads * (2 * T * S + T * d_v))


def fast_memory(rows: int, columns: int, d_k: int, d_v: int) -> int:
    """How many numbers the small, fast memory holds for a tile: queries, keys, values, scores, and what is running."""
    return rows * (d_k + d_v + 2) + columns * (d_k + d_v) + rows * columns
