"""The same weights in `torch.nn` give the same numbers."""

from typing import Any

import pytest
import torch
from torch import Tensor, nn

from tests.core.build import (
    BATCH,
    D_FF,
    D_MODEL,
    HEADS,
    N,
    S,
    T,
    assert_within,
    small_batch,
    small_model,
    unsettle,
)
from transformer_core import (
    Decoder,
    Encoder,
    EncoderDecoder,
    MultiHeadedAttention,
    PositionwiseFeedForward,
    attention,
    padding_mask,
    subsequent_mask,
)

FORMS = pytest.mark.parametrize("norm_first", [True, False], ids=["pre-norm", "post-norm"])


def copy_attention(ours: Any, theirs: Any) -> None:
    """PyTorch stacks W_Q, W_K and W_V into one matrix."""
    with torch.no_grad():
        theirs.in_proj_weight.copy_(torch.cat([linear.weight for linear in ours.linears[:3]]))
        theirs.in_proj_bias.copy_(torch.cat([linear.bias for linear in ours.linears[:3]]))
    theirs.out_proj.load_state_dict(ours.linears[3].state_dict())


def copy_layer(ours: Any, theirs: Any) -> None:
    copy_attention(ours.self_attn, theirs.self_attn)
    if hasattr(ours, "src_attn"):
        copy_attention(ours.src_attn, theirs.multihead_attn)
    theirs.linear1.load_state_dict(ours.feed_forward.w_1.state_dict())
    theirs.linear2.load_state_dict(ours.feed_forward.w_2.state_dict())
    for i, sublayer in enumerate(ours.sublayer, start=1):
        theirs.get_submodule(f"norm{i}").load_state_dict(sublayer.norm.state_dict())


def copy_stack(ours: Encoder | Decoder, theirs: nn.TransformerEncoder | nn.TransformerDecoder) -> None:
    for our_layer, their_layer in zip(ours.layers, theirs.layers):
        copy_layer(our_layer, their_layer)
    if theirs.norm is not None:
        theirs.norm.load_state_dict(ours.norm.state_dict())


def torch_transformer(model: EncoderDecoder, norm_first: bool) -> nn.Transformer:
    options: dict[str, Any] = {"dropout": 0.1, "norm_first": norm_first, "batch_first": True}
    encoder_layer = nn.TransformerEncoderLayer(D_MODEL, HEADS, D_FF, **options)
    decoder_layer = nn.TransformerDecoderLayer(D_MODEL, HEADS, D_FF, **options)
    # The paper's post-norm stacks end with the norm of their last layer; PyTorch's own builder would add one more.
    norms = [nn.LayerNorm(D_MODEL) if norm_first else None for _ in range(2)]
    encoder = nn.TransformerEncoder(encoder_layer, N, norms[0], enable_nested_tensor=False)
    decoder = nn.TransformerDecoder(decoder_layer, N, norms[1])
    # The builder draws new weights for the stacks it is given, so ours are copied after it.
    theirs = nn.Transformer(D_MODEL, HEADS, custom_encoder=encoder, custom_decoder=decoder, batch_first=True).eval()
    copy_stack(model.encoder, encoder)
    copy_stack(model.decoder, decoder)
    return theirs


@FORMS
def test_the_whole_model_agrees_under_padding_and_look_ahead_masks(norm_first: bool) -> None:
    model = small_model(norm_first, norm=nn.LayerNorm)
    theirs = torch_transformer(model, norm_first)
    batch = small_batch()

    memory = model.encode(batch.src, batch.src_mask)
    out = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)

    src_padding, tgt_padding = batch.src == 0, batch.tgt == 0
    assert src_padding.any()
    assert tgt_padding.any()
    src = model.src_embed(batch.src)
    assert_within(theirs.encoder(src, src_key_padding_mask=src_padding), memory, 1e-5)
    expected = theirs(
        src,
        model.tgt_embed(batch.tgt),
        tgt_mask=~subsequent_mask(T)[0],  # True = may not attend, over there
        src_key_padding_mask=src_padding,
        tgt_key_padding_mask=tgt_padding,
        memory_key_padding_mask=src_padding,
    )
    assert out.shape == (BATCH, T, D_MODEL)
    assert_within(out, expected, 1e-5)


@FORMS
def test_the_gradients_agree_as_well(norm_first: bool) -> None:
    model = small_model(norm_first, norm=nn.LayerNorm)
    theirs = torch_transformer(model, norm_first)
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


def test_multi_head_attention_agrees_in_output_and_in_the_weights_of_every_head() -> None:
    ours = MultiHeadedAttention(HEADS, D_MODEL).eval()
    unsettle(ours)
    theirs = nn.MultiheadAttention(D_MODEL, HEADS, batch_first=True).eval()
    copy_attention(ours, theirs)
    query, memory = torch.randn(BATCH, T, D_MODEL), torch.randn(BATCH, S, D_MODEL)
    mask = padding_mask(small_batch().src)

    output = ours(query, memory, memory, mask)
    expected, weights = theirs(query, memory, memory, key_padding_mask=~mask.squeeze(1), average_attn_weights=False)

    assert_within(output, expected, 1e-6)
    assert ours.attn is not None
    assert_within(ours.attn, weights, 1e-6)


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
