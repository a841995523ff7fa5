"""Residual connections, layers, stacks, and what masks promise about the whole model."""

from typing import Any

import pytest
import torch
from torch import Tensor, nn

from tests.core.build import (
    BATCH,
    D_FF,
    D_MODEL,
    HEADS,
    ROUNDING,
    SRC_VOCAB,
    TGT_VOCAB,
    N,
    S,
    T,
    assert_within,
    log_probs,
    padded,
    small_batch,
    small_model,
    unsettle,
)
from transformer_core import (
    Decoder,
    DecoderLayer,
    Encoder,
    EncoderDecoder,
    EncoderLayer,
    LayerNorm,
    MultiHeadedAttention,
    PositionwiseFeedForward,
    SublayerConnection,
    clones,
    make_model,
    padding_mask,
    record,
    subsequent_mask,
)
from transformer_core.positions import order_gap

FORMS = pytest.mark.parametrize("norm_first", [True, False], ids=["pre-norm", "post-norm"])


def double(x: Tensor) -> Tensor:
    return 2 * x


def test_pre_norm_normalises_what_goes_into_the_sub_layer() -> None:
    connection = SublayerConnection(D_MODEL, dropout=0.1).eval()
    x = torch.randn(BATCH, T, D_MODEL)
    assert_within(connection(x, double), x + 2 * connection.norm(x), 1e-6)


@FORMS
@pytest.mark.parametrize("norm", [LayerNorm, nn.LayerNorm], ids=["ours", "torch"])
def test_what_enters_a_sub_layer_what_it_adds_and_the_sum_are_recorded_alike_in_both_forms(
    norm_first: bool, norm: type[nn.Module]
) -> None:
    connection = SublayerConnection(D_MODEL, dropout=0.0, norm_first=norm_first, norm=norm)
    x, entered = torch.randn(BATCH, T, D_MODEL), []

    def sublayer(given: Tensor) -> Tensor:
        entered.append(given)
        return double(given)

    with record(connection) as trace:
        output = connection(x, sublayer)
    assert torch.equal(trace["input"], x)
    assert torch.equal(trace["given"], entered[0])
    assert torch.equal(trace["branch"], 2 * trace["given"])
    assert torch.equal(trace["sum"], x + trace["branch"])
    assert torch.equal(trace["norm.input"], x if norm_first else trace["sum"])
    assert torch.equal(trace["norm.output"], connection.norm(trace["norm.input"]))
    assert torch.equal(trace["given"], trace["norm.output"] if norm_first else x)
    assert torch.equal(trace["output"], trace["sum"] if norm_first else trace["norm.output"])
    assert torch.equal(trace["output"], output)


def test_post_norm_normalises_the_sum() -> None:
    connection = SublayerConnection(D_MODEL, dropout=0.1, norm_first=False).eval()
    x = torch.randn(BATCH, T, D_MODEL)
    assert_within(connection(x, double), connection.norm(3 * x), 1e-6)


@FORMS
def test_dropout_acts_on_the_branch_and_never_on_the_residual(norm_first: bool) -> None:
    connection = SublayerConnection(D_MODEL, dropout=1.0, norm_first=norm_first, norm=lambda _: nn.Identity())
    x = torch.randn(BATCH, T, D_MODEL)
    assert torch.equal(connection(x, double), x)


def test_in_pre_norm_sub_layers_that_say_nothing_leave_the_stack_an_identity() -> None:
    model = small_model()
    with torch.no_grad():
        for module in model.encoder.modules():
            if isinstance(module, MultiHeadedAttention | PositionwiseFeedForward):
                for parameter in (
                    module.linears[3] if isinstance(module, MultiHeadedAttention) else module.w_2
                ).parameters():
                    parameter.zero_()
    x = torch.randn(BATCH, S, D_MODEL)
    assert torch.equal(model.encoder(x, None), model.encoder.norm(x))


def test_clones_start_alike_and_share_nothing() -> None:
    copies: Any = clones(nn.Linear(2, 3), 2)
    first, second = copies
    assert torch.equal(first.weight, second.weight)
    with torch.no_grad():
        first.weight.zero_()
    assert second.weight.count_nonzero() == 6


def test_stacks_built_by_hand_end_with_a_norm_of_their_own() -> None:
    attn, feed_forward = MultiHeadedAttention(HEADS, D_MODEL), PositionwiseFeedForward(D_MODEL, D_FF)
    encoder = Encoder(EncoderLayer(D_MODEL, attn, feed_forward, 0.1), N).eval()
    decoder = Decoder(DecoderLayer(D_MODEL, attn, attn, feed_forward, 0.1), N).eval()
    memory = encoder(torch.randn(BATCH, S, D_MODEL), None)
    out = decoder(torch.randn(BATCH, T, D_MODEL), memory, None, None)

    assert isinstance(encoder.norm, LayerNorm)
    assert memory.shape == (BATCH, S, D_MODEL)
    assert out.shape == (BATCH, T, D_MODEL)
    assert_within(out.std(-1), torch.ones(BATCH, T), 1e-5)


def test_each_sub_layer_of_an_encoder_layer_runs_once_and_in_order() -> None:
    layer: Any = EncoderLayer(
        D_MODEL, MultiHeadedAttention(HEADS, D_MODEL), PositionwiseFeedForward(D_MODEL, D_FF), 0.1
    ).eval()
    unsettle(layer)
    x = torch.randn(BATCH, S, D_MODEL)
    mask = padding_mask(padded([4, 7, 6], S, SRC_VOCAB))

    normed = layer.sublayer[0].norm(x)
    middle = x + layer.self_attn(normed, normed, normed, mask)
    expected = middle + layer.feed_forward(layer.sublayer[1].norm(middle))
    assert_within(layer(x, mask), expected, 1e-6)


def test_a_decoder_layer_asks_with_its_own_vectors_and_reads_the_memory() -> None:
    attn, feed_forward = MultiHeadedAttention(HEADS, D_MODEL), PositionwiseFeedForward(D_MODEL, D_FF)
    layer: Any = DecoderLayer(D_MODEL, attn, MultiHeadedAttention(HEADS, D_MODEL), feed_forward, 0.1).eval()
    unsettle(layer)
    x, memory = torch.randn(BATCH, T, D_MODEL), torch.randn(BATCH, S, D_MODEL)
    src_mask, tgt_mask = padding_mask(padded([4, 7, 6], S, SRC_VOCAB)), subsequent_mask(T)

    normed = layer.sublayer[0].norm(x)
    middle = x + layer.self_attn(normed, normed, normed, tgt_mask)
    middle = middle + layer.src_attn(layer.sublayer[1].norm(middle), memory, memory, src_mask)
    expected = middle + layer.feed_forward(layer.sublayer[2].norm(middle))
    assert_within(layer(x, memory, src_mask, tgt_mask), expected, 1e-6)


def test_the_generator_gives_log_probabilities() -> None:
    out = log_probs(small_model(), small_batch())
    assert out.shape == (BATCH, T, TGT_VOCAB)
    assert_within(out.exp().sum(-1), torch.ones(BATCH, T), 1e-6)


@FORMS
def test_forward_is_encode_then_decode(norm_first: bool) -> None:
    model, batch = small_model(norm_first), small_batch()
    memory = model.encode(batch.src, batch.src_mask)
    out = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
    assert memory.shape == (BATCH, S, D_MODEL)
    assert out.shape == (BATCH, T, D_MODEL)
    assert torch.equal(model.decode(memory, batch.src_mask, batch.tgt, batch.tgt_mask), out)


def test_a_sequence_is_answered_alike_alone_and_in_a_batch() -> None:
    model, batch = small_model(), small_batch()
    together = log_probs(model, batch)
    for row in range(BATCH):
        alone = model(batch.src[[row]], batch.tgt[[row]], batch.src_mask[[row]], batch.tgt_mask[[row]])
        assert_within(model.generator(alone), together[[row]], ROUNDING)


def test_without_positions_the_encoder_only_follows_a_reordering_of_its_input() -> None:
    model = small_model()
    embed, positions = model.src_embed.get_submodule("0"), model.src_embed.get_submodule("1")
    x = embed(padded([S] * BATCH, S, SRC_VOCAB))
    order = torch.tensor([3, 0, 6, 1, 5, 2, 4])

    def encode(x: Tensor) -> Tensor:
        return model.encoder(x, None)

    assert order_gap(encode, x, order).abs().max() < 1e-5
    assert order_gap(lambda x: encode(positions(x)), x, order).abs().max() > 0.1


def test_the_two_forms_come_with_their_own_formula_and_only_pre_norm_ends_with_a_norm() -> None:
    def norms(model: EncoderDecoder) -> set[type[nn.Module]]:
        return {type(module) for module in model.modules() if isinstance(module, LayerNorm | nn.LayerNorm)}

    pre, post = small_model(), small_model(norm_first=False)
    assert norms(pre) == {LayerNorm}
    assert norms(post) == {nn.LayerNorm}
    assert norms(small_model(norm=nn.LayerNorm)) == {nn.LayerNorm}
    assert norms(small_model(norm_first=False, norm=LayerNorm)) == {LayerNorm}
    assert isinstance(pre.encoder.norm, LayerNorm)
    assert isinstance(pre.decoder.norm, LayerNorm)
    x = torch.randn(BATCH, S, D_MODEL)
    assert torch.equal(post.encoder.norm(x), x)
    assert torch.equal(post.decoder.norm(x), x)


def test_dropout_and_scale_reach_every_place() -> None:
    model = make_model(SRC_VOCAB, TGT_VOCAB, N, D_MODEL, D_FF, HEADS, dropout=0.3, scale=False, max_len=T)
    dropouts = [module.p for module in model.modules() if isinstance(module, nn.Dropout)]
    # Both inputs; weights, hidden layer and two branches in the encoder; two weights and three branches in the decoder.
    assert dropouts == [0.3] * (2 + N * (1 + 1 + 2) + N * (2 + 1 + 3))
    scales = [module.scale for module in model.modules() if isinstance(module, MultiHeadedAttention)]
    assert scales == [False] * (N + 2 * N)


def parameters(module: nn.Module) -> int:
    return sum(parameter.numel() for parameter in module.parameters())


def papers_size(layers: int) -> EncoderDecoder:
    with torch.device("meta"):  # shapes without the numbers
        return make_model(11, 11, N=layers)


def test_every_block_of_the_papers_size_has_the_parameters_one_counts_by_hand() -> None:
    model = papers_size(layers=2)
    attention = 4 * (512 * 512 + 512)
    feed_forward = 512 * 2048 + 2048 + 2048 * 512 + 512
    norm = 2 * 512

    encoder_layer: Any = model.encoder.layers[0]
    decoder_layer = model.decoder.layers[0]
    assert parameters(encoder_layer.self_attn) == attention == 1_050_624
    assert parameters(encoder_layer.feed_forward) == feed_forward == 2_099_712
    assert parameters(encoder_layer) == attention + feed_forward + 2 * norm == 3_152_384
    assert parameters(decoder_layer) == 2 * attention + feed_forward + 3 * norm == 4_204_032
    assert parameters(model.encoder) == 2 * 3_152_384 + norm
    assert parameters(model.decoder) == 2 * 4_204_032 + norm
    assert parameters(model.src_embed) == 11 * 512
    assert parameters(model.generator) == 512 * 11 + 11
    assert parameters(model) == 14_731_787


def test_no_two_blocks_share_a_parameter() -> None:
    model = small_model()
    names = [name for name, _ in model.named_parameters()]
    addresses = {parameter.data_ptr() for parameter in model.parameters()}
    assert len(addresses) == len(names)


def test_every_matrix_starts_uniform_within_the_bound_of_glorot() -> None:
    model = make_model(SRC_VOCAB, TGT_VOCAB, N, D_MODEL, D_FF, HEADS, max_len=T)
    for name, matrix in model.named_parameters():
        if matrix.dim() > 1:
            bound = (6 / sum(matrix.shape)) ** 0.5
            assert 0.9 * bound < matrix.abs().max() <= bound, name
            assert abs(matrix.mean()) < 0.2 * bound, name
