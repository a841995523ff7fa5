"""Merging the heads."""

import pytest
import torch
from torch import nn

from transformer_core import MultiHeadedAttention, record
from transformer_core.head_merge import merge_steps


def test_the_shares_of_the_heads_and_the_bias_make_the_modules_output() -> None:
    attention = MultiHeadedAttention(h=3, d_model=12, dropout=0.0).eval()
    to_output = attention.linears[3]
    assert isinstance(to_output, nn.Linear)
    x, memory = torch.randn(1, 5, 12), torch.randn(1, 7, 12)
    with torch.no_grad(), record(attention) as trace:
        output = attention(x, memory, memory)
        steps = merge_steps(trace["heads"][0], to_output.weight, to_output.bias)
    assert torch.equal(steps.merged, trace["merged"][0])
    assert steps.shares.shape == (3, 5, 12)
    torch.testing.assert_close(steps.output, output[0])
    torch.testing.assert_close(steps.shares.sum(0) + to_output.bias, output[0])


def test_a_head_of_zeros_adds_nothing() -> None:
    heads = torch.randn(2, 4, 3)
    heads[1] = 0
    steps = merge_steps(heads, torch.randn(6, 6), torch.zeros(6))
    assert not steps.shares[1].any()
    torch.testing.assert_close(steps.output, steps.shares[0])


def test_heads_that_do_not_fit_the_matrix_are_refused() -> None:
    with pytest.raises(ValueError, match="2 heads of size 3"):
        merge_steps(torch.ones(2, 4, 3), torch.ones(8, 8), torch.ones(8))
