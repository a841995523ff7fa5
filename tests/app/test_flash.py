"""FlashAttention on the page: every score in one tile, what runs along, and the bytes that are counted."""

import re

import numpy as np
import pytest
import torch

from tests.app.boards import matrices, panel, written
from tests.app.conftest import Open
from transformer_core.after_2017.flash_attention import tiles, traffic
from ui.chapters.answer_cost.flash import order_of_work, traffic_table
from ui.text import LANGUAGES


@pytest.mark.parametrize("size", [2, 4, 5])
def test_every_score_that_the_mask_allows_is_in_one_tile(size: int) -> None:
    length = 11
    parts = -(-length // size)
    order = order_of_work(length, size, 999)
    assert sorted(set(order[torch.ones(length, length).tril() > 0].tolist())) == [
        *range(1, parts * (parts + 1) // 2 + 1)
    ]
    assert (order[:size, size:] == 0).all()
    assert set(order_of_work(length, size, 2).unique().tolist()) == {0, 1, 2}


def test_what_is_not_computed_yet_has_no_number(open_link: Open) -> None:
    order = panel(open_link("answer_cost", open="flash", flash_step="2"), "answer_cost.flash", "order")
    assert order["print"]
    assert order["blank"]


@pytest.mark.parametrize(("tile", "last"), [("2", 200), ("4", 200), ("8", 200)])
def test_after_the_last_tile_stands_the_softmax(open_link: Open, tile: str, last: int) -> None:
    shown = matrices(open_link("answer_cost", open="flash", flash_tile=tile, flash_step=str(last)), "answer_cost.flash")
    order, rows = shown["order"], len(shown["total"])
    assert order.max() == order[-1, -1]
    assert (order[np.tril_indices(len(order))] > 0).all()
    scores = shown["scores"]
    assert scores.shape[0] == rows == shown["output"].shape[0]
    assert (shown["maximum"] >= scores.max(1, keepdims=True)).all()
    assert (shown["total"] >= np.exp(scores - shown["maximum"]).sum(1, keepdims=True) * (1 - 1e-5)).all()


def test_the_bytes_are_those_that_the_tiles_count() -> None:
    n, d_k, heads = 300, 16, 3
    table = traffic_table(d_k, heads, 2, 4, n)
    x, mask = torch.zeros(n, d_k), torch.ones(n, n).tril()
    *_, tile = tiles(x, x, x, mask, 128, 64)
    assert tile.traffic.read == traffic(n, n, d_k, d_k, 128, 64, causal=True).read
    assert table[-1, 2] == heads * 2 * (tile.traffic.read + n * (d_k + 1))
    assert table[-1, 1] == heads * 2 * (4 * n * n + 4 * n * d_k)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_what_cannot_be_is_the_default_or_the_nearest(open_link: Open, lang: str) -> None:
    app = open_link("answer_cost", open="flash", flash_tile="3", flash_step="150", flash_exact="same", lang=lang)
    assert not app.exception
    assert matrices(app, "answer_cost.flash")["order"].max() == 6
    assert re.search("10⁻[⁵⁶⁷⁸]", written(app))  # of rounding
