"""What an answer of a decoder-only model costs: the bytes of its cache, the products of a token, and time.

A product is a multiplication of a matrix product, with its addition, as in `decoding_cost`.
"""

import time
from collections.abc import Callable, Iterator
from statistics import median
from typing import NamedTuple

import numpy as np
import torch

from transformer_core.after_2017.continuing import CachedReader
from transformer_core.after_2017.one_stack import DecoderOnly
from transformer_core.experiments.decoding_cost import DecodingTime

LENGTHS = (16, 32, 64, 128, 256)  # tokens read before the one that is timed
REPEATS = 5


class AnswerSizes(NamedTuple):
    N: int
    d_model: int
    d_ff: int
    h: int
    groups: int  # heads of keys and values
    vocab: int
    bytes: int  # of a number


def cache_bytes(sizes: AnswerSizes, n: np.ndarray, window: float = np.inf) -> np.ndarray:
    """Keys and values of n tokens, in every layer, or of as many as a window keeps: (lengths,) -> the same shape.

    Ainslie et al. 2023, section 2.2: 2 · N · groups · d_k numbers for each token.
    """
    per_token = 2 * sizes.N * sizes.groups * (sizes.d_model // sizes.h) * sizes.bytes
    return per_token * np.minimum(n, window)


def products_of_token(sizes: AnswerSizes, n: np.ndarray, *, cached: bool) -> np.ndarray:
    """To predict the token after n, (lengths,) -> the same shape; without a cache, all n rows run through the layers.

    Per layer and row: 2·d² for query and output, 2·d·groups·d_k for key and value, 2·n·d to compare with n keys and to
    mix n values, 2·d·d_ff in the feed-forward network. The generator reads the last row alone: d·vocab.
    """
    d, d_k = sizes.d_model, sizes.d_model // sizes.h
    row = 2 * d**2 + 2 * d * sizes.groups * d_k + 2 * n * d + 2 * d * sizes.d_ff
    return sizes.N * row * (1 if cached else n) + d * sizes.vocab


def bytes_kept(model: DecoderOnly, lengths: tuple[int, ...] = LENGTHS) -> list[int]:
    """What the cache of a model, in evaluation mode, really takes after so many tokens."""
    readers = [_read(model, n - 1) for n in lengths]
    for reader in readers:
        reader.next(torch.ones(1, 1, dtype=torch.long))
    return [reader.bytes for reader in readers]


def measure_answer(model: DecoderOnly, lengths: tuple[int, ...] = LENGTHS) -> Iterator[DecodingTime]:
    """Processor seconds of this thread to predict the token after n, with the cache and without; medians of REPEATS,
    after one that is not timed."""
    for n in lengths:
        row = torch.ones(1, n, dtype=torch.long)
        reader = _read(model, n - 1)

        def alone(row: torch.Tensor = row) -> None:
            with torch.inference_mode():
                model.generator(model(row)[:, -1])

        def kept(reader: CachedReader = reader, row: torch.Tensor = row) -> None:
            reader.next(row[:, :1])

        times = [[_seconds(alone), _seconds(kept)] for _ in range(REPEATS + 1)]
        without, cached = (median(column) for column in zip(*times[1:]))
        yield DecodingTime(n, without, cached)


def _read(model: DecoderOnly, n: int) -> CachedReader:
    reader = CachedReader(model)
    reader.next(torch.ones(1, n, dtype=torch.long))
    return reader


def _seconds(act: Callable[[], None]) -> float:
    started = time.thread_time()
    act()
    return time.thread_time() - started
