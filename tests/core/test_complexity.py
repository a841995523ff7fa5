"""Table 1 of the paper: its formulas by hand, its products against PyTorch's count, its paths against real layers."""

import math

import numpy as np
import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from transformer_core.experiments.complexity import (
    KINDS,
    crossing,
    layer_cost,
    parallel_width,
    path_length,
    products,
    sequential_steps,
)
from transformer_core.experiments.reach import heard
from transformer_core.experiments.sequence_layers import LAYERS, Layer, build

N, D, KERNEL = 7, 10, 5


def test_the_table_by_hand() -> None:
    assert [layer_cost(kind, N, D, KERNEL) for kind in KINDS] == [700, 3500, 490]
    assert [sequential_steps(kind, N) for kind in KINDS] == [7, 1, 1]
    assert path_length("recurrent", N) == 7
    assert path_length("attention", N) == 1
    assert path_length("convolution", 81, 3) == pytest.approx(4)
    assert path_length("convolution", 81, 3, dilated=False) == pytest.approx(27)
    assert path_length("convolution", 2, 3, dilated=False) == 1, "no path is shorter than a layer"


def test_sizes_may_be_arrays() -> None:
    n = np.array([1.0, 3.0, 9.0])
    for kind in KINDS:
        for counted in (layer_cost(kind, n, D), products(kind, n, D), sequential_steps(kind, n), path_length(kind, n)):
            assert np.shape(counted) == (3,)


@pytest.mark.parametrize("name", sorted(LAYERS.keys() - {"fused"}))  # PyTorch does not count within that one
def test_the_products_are_those_that_pytorch_counts(name: Layer) -> None:
    layer = build(name, D, KERNEL)
    with FlopCounterMode(display=False) as counter, torch.no_grad():
        layer(torch.randn(1, N, D))
    kind = LAYERS[name]
    assert counter.get_total_flops() / 2 == products(kind, N, D, KERNEL)


@pytest.mark.parametrize("counted", [False, True])
@pytest.mark.parametrize("kind", ["recurrent", "convolution"])
def test_at_the_crossing_both_cost_the_same_and_before_it_attention_costs_less(kind, counted):
    cost = products if counted else layer_cost
    n = crossing(kind, D, 7, counted=counted)
    assert n is not None
    assert cost("attention", n, D, 7) == pytest.approx(cost(kind, n, D, 7))
    assert cost("attention", n - 1, D, 7) < cost(kind, n - 1, D, 7)


def test_a_narrow_convolution_is_cheaper_than_attention_at_every_length() -> None:
    for kernel in (2, 3, 4):
        assert crossing("convolution", D, kernel, counted=True) is None
        assert products("convolution", 1, D, kernel) < products("attention", 1, D, kernel)


def test_what_can_be_done_at_once_does_not_grow_with_n_in_a_recurrence() -> None:
    assert parallel_width("recurrent", 5, D) == parallel_width("recurrent", 500, D) == 6 * D**2
    assert parallel_width("attention", 500, D) > 100 * parallel_width("recurrent", 500, D)


@pytest.mark.parametrize("n", [1, 2, 9, 10])
def test_the_path_that_is_found_on_real_layers_is_the_tables_rounded_up(n: int) -> None:
    assert len(heard("recurrent", n)) == n
    assert len(heard("attention", n)) == 1
    for kernel in (2, 3):
        layers = len(heard("convolution", n, kernel))
        assert layers == math.ceil(round(float(path_length("convolution", n, kernel)), 9))
        assert len(heard("convolution", n, kernel, dilated=False)) == max(1, math.ceil((n - 1) / (kernel - 1)))


def test_what_is_heard_only_grows_and_at_last_is_everything() -> None:
    for kind in KINDS:
        rows = heard(kind, 8, 3)
        assert (rows[:-1] <= rows[1:]).all()
        assert rows[-1].all()
        assert rows[:, -1].all()


def test_a_recurrence_hears_one_position_more_with_every_state() -> None:
    assert heard("recurrent", 6).sum(1).tolist() == [1, 2, 3, 4, 5, 6]


def test_wrong_sizes_are_refused() -> None:
    with pytest.raises(ValueError, match="kernel of 1"):
        path_length("convolution", 5, 1)
    with pytest.raises(ValueError, match="nothing to hear"):
        heard("attention", 0)
    with pytest.raises(ValueError, match="attention"):
        crossing("attention", 5)
