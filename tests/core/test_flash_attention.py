"""FlashAttention: the numbers of attention whatever the tiles, and a traffic that is as the formula says."""

import pytest
import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention

from tests.core.build import BATCH, HEADS, assert_within
from transformer_core.after_2017.flash_attention import (
    Traffic,
    fast_memory,
    flash_attention,
    standard_traffic,
    tiles,
    traffic,
)
from transformer_core.after_2017.window import window_mask
from transformer_core.attention import attention_steps
from transformer_core.masks import padding_mask, subsequent_mask

T, S, D_K, D_V = 11, 13, 6, 5
ROUNDING = 1e-12  # in float64
SIZES = [(1, 1), (3, 4), (4, 3), (T, S), (64, 2)]
every_size = pytest.mark.parametrize(("rows", "columns"), SIZES)


def drawn(length: int = S) -> tuple[Tensor, Tensor, Tensor]:
    generator = torch.Generator().manual_seed(0)
    sizes = ((T, D_K), (length, D_K), (length, D_V))
    q, k, v = (torch.randn(BATCH, HEADS, *size, generator=generator, dtype=torch.float64) for size in sizes)
    return 4 * q, k, v


@every_size
def test_the_numbers_are_those_of_torch_and_of_our_attention(rows: int, columns: int) -> None:
    q, k, v = drawn()
    found = flash_attention(q, k, v, None, rows, columns)
    assert_within(found, scaled_dot_product_attention(q, k, v), ROUNDING)
    assert_within(found, attention_steps(q, k, v).output, ROUNDING)


@every_size
@pytest.mark.parametrize("kind", ["look-ahead", "window", "padding"])
def test_under_a_mask_too(kind: str, rows: int, columns: int) -> None:
    q, k, v = drawn(T)
    masks = {
        "look-ahead": subsequent_mask(T),
        "window": subsequent_mask(T) & window_mask(T, 3),
        "padding": padding_mask(torch.arange(1, T + 1).repeat(BATCH, 1) % 7 % 3).unsqueeze(1),
    }
    found = flash_attention(q, k, v, masks[kind], rows, columns)
    assert_within(found, scaled_dot_product_attention(q, k, v, masks[kind]), ROUNDING)


def test_scores_too_large_for_an_exponential_alone_do_no_harm() -> None:
    q, k, v = drawn()
    assert (100 * q @ k.transpose(-2, -1)).exp().isinf().any()
    assert_within(flash_attention(100 * q, k, v, None, 3, 4), scaled_dot_product_attention(100 * q, k, v), ROUNDING)


@every_size
def test_each_query_meets_each_key_once_row_by_row(rows: int, columns: int) -> None:
    met = [(query, key) for tile in tiles(*drawn(), None, rows, columns) for query in tile.queries for key in tile.keys]
    assert sorted(met) == [(query, key) for query in range(T) for key in range(S)]
    starts = [(tile.queries.start, tile.keys.start) for tile in tiles(*drawn(), None, rows, columns)]
    assert starts == sorted(starts)


def test_after_each_tile_the_output_so_far_is_the_attention_to_the_keys_so_far() -> None:
    q, k, v = drawn()
    for tile in tiles(q, k, v, None, 3, 4):
        own, end = q[..., tile.queries.start : tile.queries.stop, :], tile.keys.stop
        expected = scaled_dot_product_attention(own, k[..., :end, :], v[..., :end, :])
        assert_within(tile.running.output / tile.running.total, expected, ROUNDING)


@every_size
@pytest.mark.parametrize("causal", [False, True])
def test_what_is_read_and_written_is_what_the_formula_says(rows: int, columns: int, causal: bool) -> None:
    q, k, v = drawn(T if causal else S)
    *_, last = tiles(q, k, v, subsequent_mask(T) if causal else None, rows, columns)
    length, heads = k.size(-2), BATCH * HEADS
    expected = traffic(T, length, D_K, D_V, rows, columns, causal=causal, heads=heads)
    final = len(last.queries) * (D_V + 1) * heads  # written after the last tile
    assert last.traffic == expected._replace(written=expected.written - final)
    assert Traffic(3, 4).bytes(2) == 14


def test_a_long_row_moves_a_quarter_of_what_it_moves_with_its_scores_written() -> None:
    """Of 4096 tokens, in half precision, with tiles of which one fits a fast memory of 100 kB."""
    sizes = 4096, 4096, 64, 64
    assert 2 * fast_memory(128, 64, 64, 64) < 100_000
    assert 3.9 < standard_traffic(*sizes).bytes(2) / traffic(*sizes, 128, 64).bytes(2) < 4.0
    assert traffic(*sizes, 128, 64) == traffic(*sizes, 128, 32)
    whole = traffic(*sizes, 4096, 4096)
    assert whole == (3 * 4096 * 64, 4096 * 65)


@pytest.mark.parametrize(("rows", "columns"), [(0, 3), (3, 0)])
def test_a_tile_without_a_row_or_a_column_is_refused(rows: int, columns: int) -> None:
    with pytest.raises(ValueError, match="at least one query and one key"):
        flash_attention(*drawn(), None, rows, columns)


def test_a_query_without_a_key_is_refused() -> None:
    with pytest.raises(ValueError, match="may attend to no key"):
        flash_attention(*drawn(), torch.zeros(1, T, S, dtype=torch.bool))
