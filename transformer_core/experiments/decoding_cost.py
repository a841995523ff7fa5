"""What greedy decoding costs, token by token, with a cache of keys and values and without: products, and time.

A product is a multiplication of a matrix product, with its addition. The encoder, which both run once, is left out.
"""

import time
from collections.abc import Callable, Iterator
from statistics import median
from typing import NamedTuple

import numpy as np
from torch import Tensor

from transformer_core.decoding.cache import cached_decode
from transformer_core.decoding.greedy import greedy_decode
from transformer_core.model import EncoderDecoder

LENGTHS = (5, 10, 20, 40, 60)  # tokens written
REPEATS = 3


class DecoderSizes(NamedTuple):
    N: int
    d_model: int
    d_ff: int
    vocab: int
    source: int  # tokens of the source


def products_of_turn(sizes: DecoderSizes, t: np.ndarray, *, cached: bool) -> np.ndarray:
    """Products of turn t, counted from 1, in which the decoder has t tokens before it: (turns,) -> the same shape.

    Per layer and row: 4·d² project to query, key, value and output, 2·t·d compare with t keys and mix t values; across,
    2·d² project, 2·S·d compare and mix; 2·d·d_ff are the feed-forward network's. Without a cache there are t rows, and
    the memory is projected again, 2·S·d². The generator reads the last row alone: d·vocab.
    """
    N, d, d_ff, vocab, S = sizes
    row = 4 * d**2 + 2 * t * d + 2 * d**2 + 2 * S * d + 2 * d * d_ff
    return N * (row if cached else t * row + 2 * S * d**2) + d * vocab


def products_so_far(sizes: DecoderSizes, turns: int, *, cached: bool) -> np.ndarray:
    """Products of the first 1, 2, … turns: (turns,). With a cache, those before the first turn as well."""
    once = 2 * sizes.N * sizes.source * sizes.d_model**2  # keys and values of the memory
    return np.cumsum(products_of_turn(sizes, np.arange(1, turns + 1), cached=cached)) + (once if cached else 0)


class DecodingTime(NamedTuple):
    """Processor seconds of this thread to write n tokens, the encoder's included: medians of the repeats, in which the
    two take turns."""

    n: int
    without: float
    cached: float


def measure_decoding(
    model: EncoderDecoder, src: Tensor, src_mask: Tensor | None, seconds: float, lengths: tuple[int, ...] = LENGTHS
) -> Iterator[DecodingTime]:
    """A point for each number of tokens, small ones first, until about so many seconds are spent; always the first two.

    A pass before each, in which memory is claimed, is not timed. A point that would take too long is not begun.
    """
    began = time.perf_counter()
    for at, n in enumerate(lengths):
        times = [
            [_seconds(decode, model, src, src_mask, n=n) for decode in (greedy_decode, cached_decode)]
            for _ in range(REPEATS + 1)
        ]
        without, cached = (median(column) for column in zip(*times[1:]))
        yield DecodingTime(n, without, cached)
        next_one = 3 * sum(map(sum, times))  # twice the tokens, over twice the time
        if at and time.perf_counter() - began + next_one > seconds:
            return


def _seconds(
    decode: Callable[..., Tensor], model: EncoderDecoder, src: Tensor, src_mask: Tensor | None, n: int
) -> float:
    started = time.thread_time()
    decode(model, src, src_mask, n + 1)
    return time.thread_time() - started
