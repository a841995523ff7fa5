"""What decoding costs with a cache and without: by hand, and beside PyTorch's own count."""

import time
from collections.abc import Callable
from functools import partial

import numpy as np
import pytest
import torch
from torch import Tensor
from torch.utils.flop_counter import FlopCounterMode

from tests.core.build import D_FF, D_MODEL, HEADS, TGT_VOCAB, N, S, padded, small_model
from transformer_core import CachedDecoder, EncoderDecoder, padding_mask, subsequent_mask
from transformer_core.experiments import decoding_cost
from transformer_core.experiments.decoding_cost import (
    DecoderSizes,
    measure_decoding,
    products_of_turn,
    products_so_far,
)

SIZES = DecoderSizes(N, D_MODEL, D_FF, TGT_VOCAB, S)
TURNS = np.arange(1, 7)


def test_a_tiny_decoder_by_hand() -> None:
    sizes = DecoderSizes(N=1, d_model=2, d_ff=3, vocab=5, source=4)
    # One row: q, k, v, output 16; own attention 4·t; q, output across 8; across 16; feed-forward 12. Generator 10.
    assert products_of_turn(sizes, np.array([1, 2]), cached=True).tolist() == [56 + 10, 60 + 10]
    # All rows, and the memory's keys and values, 32, each time.
    assert products_of_turn(sizes, np.array([1, 2]), cached=False).tolist() == [56 + 32 + 10, 2 * 60 + 32 + 10]
    assert products_so_far(sizes, 2, cached=True).tolist() == [32 + 66, 32 + 66 + 70]
    assert products_so_far(sizes, 2, cached=False).tolist() == [98, 98 + 162]


def test_the_first_token_costs_the_same_either_way() -> None:
    assert products_so_far(SIZES, 1, cached=True) == products_so_far(SIZES, 1, cached=False)


def test_every_turn_is_what_pytorch_counts() -> None:
    model, src = small_model(), padded([S], S, 9)
    assert model.decoder.layers[0].self_attn.h == HEADS
    mask = padding_mask(src)
    with torch.no_grad():
        memory = model.encode(src, mask)
        ys = torch.ones(1, len(TURNS), dtype=torch.long)
        without = [
            _counted(partial(_all_anew, model, memory, mask, ys[:, :t], subsequent_mask(t))) for t in TURNS.tolist()
        ]
        decoders: list[CachedDecoder] = []
        before = _counted(lambda: decoders.append(CachedDecoder(model, memory, mask)))
        cached = [_counted(lambda: decoders[0].next(ys[:, 0])) for _ in TURNS]
    assert products_of_turn(SIZES, TURNS, cached=False).tolist() == without
    assert products_of_turn(SIZES, TURNS, cached=True).tolist() == cached
    assert products_so_far(SIZES, len(TURNS), cached=True).tolist() == (np.cumsum(cached) + before).tolist()
    assert products_so_far(SIZES, len(TURNS), cached=False).tolist() == np.cumsum(without).tolist()


def _all_anew(model: EncoderDecoder, memory: Tensor, mask: Tensor, ys: Tensor, ahead: Tensor) -> Tensor:
    log_probs: Tensor = model.generator(model.decode(memory, mask, ys, ahead)[:, -1])
    return log_probs


def _counted(work: Callable[[], object]) -> int:
    with FlopCounterMode(display=False) as counter:
        work()
    assert counter.get_total_flops() % 2 == 0, "a multiplication and an addition each"
    return counter.get_total_flops() // 2


def test_what_others_take_of_the_processor_meanwhile_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    waiting = 0.05

    def decode(*_: object) -> Tensor:
        time.sleep(waiting)  # as while another process has the processor
        return torch.zeros(1)

    monkeypatch.setattr(decoding_cost, "greedy_decode", decode)
    model, src = small_model(), padded([S], S, 9)
    (point,) = measure_decoding(model, src, padding_mask(src), 0.0, (1,))
    assert point.without < waiting


@pytest.mark.parametrize(("seconds", "points"), [(0.0, 2), (1e9, 3)])
def test_a_measurement_ends_when_its_time_is_spent(seconds: float, points: int) -> None:
    model, src = small_model(), padded([S], S, 9)
    found = list(measure_decoding(model, src, padding_mask(src), seconds, (1, 2, 3)))
    assert [point.n for point in found] == [1, 2, 3][:points]
    assert all(point.without >= 0 and point.cached >= 0 for point in found)
