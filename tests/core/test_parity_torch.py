"""The same weights in `torch.nn` give the same numbers: what `transformer_core/verify/parity.py` does not measure."""

from typing import Any

import pytest
import torch
from torch import Tensor, nn

from tests.core.build import BATCH, D_FF, D_MODEL, S, T, assert_within, small_batch, small_model
from transformer_core import PositionwiseFeedForward, attention, subsequent_mask
from transformer_core.verify.parity import torch_transformer, transformer

FORMS = pytest.mark.parametrize("norm_first", [True, False], ids=["pre-norm", "post-norm"])


@FORMS
def test_the_whole_model_agrees_under_padding_and_look_ahead_masks_in_float32_as_well(norm_first: bool) -> None:
    batch = small_batch()
    assert (batch.src == 0).any()
    assert (batch.tgt == 0).any()
    assert transformer(small_model(norm_first, norm=nn.LayerNorm), batch.src, batch.tgt) < 1e-5


@FORMS
def test_the_gradients_agree_as_well(norm_first: bool) -> None:
    model = small_model(norm_first, norm=nn.LayerNorm)
    theirs = torch_transformer(model)
    src, tgt = torch.randn(BATCH, S, D_MODEL), torch.randn(BATCH, T, D_MODEL)
    towards = torch.randn(BATCH, T, D_MODEL)
    mask = subsequent_mask(T)

    (model.decoder(tgt, model.encoder(src, None), None, mask) * towards).sum().backward()
    (theirs(src, tgt, tgt_mask=~mask[0]) * towards).sum().backward()

    ours: Any = model.encoder.layers[0]
    others: Any = theirs.encoder.layers[0]
    to_queries_keys_and_values = torch.cat([linear.weight.grad for linear in ours.self_attn.linears[:3]])
    expected = others.self_attn.in_proj_weight.grad
    assert expected.abs().max() > 0.1
    torch.testing.assert_close(to_queries_keys_and_values, expected, rtol=1e-4, atol=1e-5)


def test_scaled_dot_product_attention_agrees() -> None:
    query, key, value = torch.randn(2, 4, T, 6), torch.randn(2, 4, S, 6), torch.randn(2, 4, S, 8)
    mask = torch.rand(2, 1, T, S) > 0.3
    mask[..., 0] = True
    expected = nn.functional.scaled_dot_product_attention(query, key, value, attn_mask=mask)
    assert_within(attention(query, key, value, mask)[0], expected, 1e-6)


def test_the_feed_forward_network_is_two_linear_layers_and_a_relu() -> None:
    ours = PositionwiseFeedForward(D_MODEL, D_FF).eval()
    theirs = nn.Sequential(ours.w_1, nn.ReLU(), ours.w_2)
    x: Tensor = torch.randn(BATCH, T, D_MODEL)
    assert torch.equal(ours(x), theirs(x))
