"""What cannot be computed is refused in words that name the sizes."""

import re

import pytest
import torch

from tests.core.build import D_MODEL, MAX_LEN, SRC_VOCAB, TGT_VOCAB, S, padded, small_batch, small_model
from transformer_core import (
    Batch,
    Embeddings,
    Generator,
    LabelSmoothing,
    LayerNorm,
    MultiHeadedAttention,
    PositionalEncoding,
    PositionwiseFeedForward,
    SimpleLossCompute,
    SublayerConnection,
    attention,
    copy_sequences,
    get_std_opt,
    make_model,
    noam_rate,
    position_code,
    run_epoch,
    smoothed_targets,
    subsequent_mask,
    valid_pairs,
)


@pytest.mark.parametrize("h", [0, 5, 7, 48, -4])
def test_heads_must_divide_d_model(h: int) -> None:
    with pytest.raises(ValueError, match=f"d_model = 24 cannot be cut into {h} heads"):
        MultiHeadedAttention(h, 24)
    with pytest.raises(ValueError, match="heads of equal size"):
        make_model(SRC_VOCAB, TGT_VOCAB, N=1, d_model=24, d_ff=8, h=h)


@pytest.mark.parametrize("d_model", [0, 1, 7])
def test_sines_and_cosines_need_an_even_size(d_model: int) -> None:
    with pytest.raises(ValueError, match=f"even and at least 2.*got {d_model}"):
        position_code(5, d_model)


def test_the_base_of_the_wavelengths_must_be_positive() -> None:
    with pytest.raises(ValueError, match="above 0, got -3"):
        position_code(5, 8, base=-3)


def test_a_sequence_may_not_be_longer_than_the_position_code() -> None:
    with pytest.raises(ValueError, match=r"covers 9 positions of size 6, not \(2, 10, 6\)"):
        PositionalEncoding(6, 0.0, max_len=9)(torch.zeros(2, 10, 6))
    with pytest.raises(ValueError, match=rf"{MAX_LEN} positions.*not \(1, {MAX_LEN + 1}, {D_MODEL}\)"):
        small_model().encode(padded([MAX_LEN + 1], MAX_LEN + 1, SRC_VOCAB), None)


def test_the_position_code_fits_embeddings_of_its_own_size_only() -> None:
    for shape in [(2, 4, 1), (6,)]:
        with pytest.raises(ValueError, match=rf"of size 6, not {re.escape(str(shape))}"):
            PositionalEncoding(6, 0.0, max_len=9)(torch.zeros(shape))


def test_there_are_no_fewer_than_no_positions() -> None:
    with pytest.raises(ValueError, match="-1 positions"):
        position_code(-1, 8)


@pytest.mark.parametrize("token", [-1, 10])
def test_a_token_must_be_in_the_vocabulary(token: int) -> None:
    with pytest.raises(ValueError, match=r"must lie in 0…9.*got"):
        Embeddings(6, 10)(torch.tensor([[3, token]]))


def test_an_embedding_table_needs_rows_and_columns() -> None:
    with pytest.raises(ValueError, match="0 × 6"):
        Embeddings(6, 0)


def test_queries_and_keys_must_have_one_size() -> None:
    with pytest.raises(ValueError, match=r"query of size 6.*key of size 8"):
        attention(torch.zeros(2, 6), torch.zeros(3, 8), torch.zeros(3, 8))


def test_queries_keys_and_values_are_of_one_batch() -> None:
    with pytest.raises(ValueError, match=r"\(2, 4, 24\), \(3, 5, 24\), \(3, 5, 24\)"):
        attention(torch.zeros(2, 4, 24), torch.zeros(3, 5, 24), torch.zeros(3, 5, 24))
    with pytest.raises(ValueError, match=r"\(2, 8, 4, 3\), \(3, 8, 5, 3\)"):
        MultiHeadedAttention(8, 24)(torch.zeros(2, 4, 24), torch.zeros(3, 5, 24), torch.zeros(3, 5, 24))
    assert attention(torch.zeros(4, 6), torch.zeros(3, 5, 6), torch.zeros(1, 5, 7))[0].shape == (3, 4, 7)


def test_attention_is_over_rows_of_vectors() -> None:
    with pytest.raises(ValueError, match=r"rows of vectors, not \(6,\)"):
        attention(torch.zeros(6), torch.zeros(6), torch.zeros(6))


def test_every_key_needs_a_value() -> None:
    with pytest.raises(ValueError, match="3 keys, 4 values"):
        attention(torch.zeros(2, 6), torch.zeros(3, 6), torch.zeros(4, 6))


@pytest.mark.parametrize("shape", [(3, 2), (2, 4), (5, 2, 3), (2, 1, 2, 3)])
def test_a_mask_must_broadcast_to_the_scores(shape: tuple[int, ...]) -> None:
    query, key = torch.zeros(4, 2, 6), torch.zeros(4, 3, 6)
    with pytest.raises(ValueError, match=r"does not broadcast to scores \(4, 2, 3\)"):
        attention(query, key, key, torch.ones(shape))


def test_a_mask_for_heads_cannot_pass_for_a_mask_for_the_batch() -> None:
    x = torch.zeros(2, 4, 24)
    with pytest.raises(ValueError, match=r"mask of shape \(8, 1, 4, 4\).*scores \(2, 8, 4, 4\)"):
        MultiHeadedAttention(8, 24)(x, x, x, torch.zeros(8, 4, 4))


@pytest.mark.parametrize("shape", [(4, 24), (2, 4, 23)])
def test_multi_head_attention_takes_batches_of_vectors_of_its_size(shape: tuple[int, ...]) -> None:
    x = torch.zeros(shape)
    with pytest.raises(ValueError, match=r"expects \(batch, length, 24\), got"):
        MultiHeadedAttention(8, 24)(x, x, x)


def test_the_feed_forward_network_takes_vectors_of_its_size() -> None:
    with pytest.raises(ValueError, match="size 6, not 5"):
        PositionwiseFeedForward(6, 8)(torch.zeros(2, 4, 5))


@pytest.mark.parametrize("d_ff", [0, -3])
def test_the_feed_forward_network_needs_neurons(d_ff: int) -> None:
    with pytest.raises(ValueError, match=f"not 6 and {d_ff}"):
        PositionwiseFeedForward(6, d_ff)


@pytest.mark.parametrize("N", [0, -1])
def test_a_stack_needs_a_layer(N: int) -> None:
    with pytest.raises(ValueError, match=f"at least one layer, not {N}"):
        make_model(SRC_VOCAB, TGT_VOCAB, N)


@pytest.mark.parametrize("norm_first", [True, False])
def test_a_sub_layer_returns_what_can_be_added_to_the_stream(norm_first: bool) -> None:
    with pytest.raises(ValueError, match=r"\(2, 4, 6\): \(2, 4, 1\)"):  # which would broadcast without a word
        SublayerConnection(6, norm_first=norm_first)(torch.zeros(2, 4, 6), lambda x: x[..., :1])


def test_the_generator_takes_vectors_of_its_size() -> None:
    with pytest.raises(ValueError, match="size 6, not 5"):
        Generator(6, 11)(torch.zeros(2, 5))


def test_layer_norm_needs_two_features_and_takes_vectors_of_its_size() -> None:
    with pytest.raises(ValueError, match="at least 2"):
        LayerNorm(1)
    with pytest.raises(ValueError, match="size 6, not 1"):
        LayerNorm(6)(torch.zeros(2, 4, 1))


def test_source_and_target_must_be_as_many() -> None:
    model, batch = small_model(), small_batch()
    with pytest.raises(ValueError, match="2 source sequences for 3 target sequences"):
        model(batch.src[:2], batch.tgt, batch.src_mask[:2], batch.tgt_mask)


def test_masks_and_lengths_must_be_possible() -> None:
    with pytest.raises(ValueError, match="-1 positions"):
        subsequent_mask(-1)
    with pytest.raises(ValueError, match=r"0…5.*\[2, 6\]"):
        valid_pairs(torch.tensor([2, 6]), 5)


def test_a_target_of_one_token_leaves_nothing_to_predict() -> None:
    with pytest.raises(ValueError, match="nothing to predict"):
        Batch(torch.ones(2, 5, dtype=torch.long), torch.ones(2, 1, dtype=torch.long))


def test_a_vocabulary_needs_a_token_besides_padding() -> None:
    with pytest.raises(ValueError, match="vocabulary of 1"):
        copy_sequences(1, 2)


@pytest.mark.parametrize(("count", "length", "min_length"), [(-1, 10, None), (2, 0, None), (2, 4, 5), (2, 4, 0)])
def test_sequences_are_of_a_possible_number_and_length(count: int, length: int, min_length: int | None) -> None:
    with pytest.raises(ValueError, match=f"no {count} sequences of .* to {length} tokens"):
        copy_sequences(11, count, length, min_length)


@pytest.mark.parametrize(("d_model", "warmup"), [(0, 400), (512, 0)])
def test_a_rate_needs_a_size_and_a_warm_up(d_model: int, warmup: int) -> None:
    with pytest.raises(ValueError, match=f"positive, not {d_model} and {warmup}"):
        noam_rate(1, d_model, warmup=warmup)


@pytest.mark.parametrize("smoothing", [-0.1, 1.1])
def test_smoothing_is_a_share(smoothing: float) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        smoothed_targets(torch.tensor([1]), 5, 0, smoothing)


def test_smoothing_needs_another_token_to_smooth_over() -> None:
    with pytest.raises(ValueError, match="with 2 tokens"):
        smoothed_targets(torch.tensor([1]), 2, 0, 0.1)


def test_the_loss_takes_the_vocabulary_it_was_made_for() -> None:
    with pytest.raises(ValueError, match=r"7 tokens.*made for 5"):
        LabelSmoothing(5, 0)(torch.zeros(2, 7), torch.tensor([1, 2]))


@pytest.mark.parametrize(("rows", "targets"), [((3, 5), (2,)), ((2, 3, 5), (2, 3))])
def test_the_loss_takes_one_target_per_row(rows: tuple[int, ...], targets: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match=rf"rows {re.escape(str(rows))}, targets {re.escape(str(targets))}"):
        LabelSmoothing(5, 0)(torch.zeros(rows), torch.ones(targets, dtype=torch.long))


def test_targets_and_padding_are_tokens_of_the_vocabulary() -> None:
    with pytest.raises(ValueError, match=r"0…4; got 1…5"):
        smoothed_targets(torch.tensor([1, 5]), 5, 0, 0.1)
    with pytest.raises(ValueError, match=r"0…4, not be 5"):
        smoothed_targets(torch.tensor([1]), 5, 5, 0.1)


def test_a_batch_of_paddings_is_refused_before_it_can_spoil_the_weights() -> None:
    model = small_model()
    paddings = torch.zeros(2, 4, dtype=torch.long)
    compute = SimpleLossCompute(model.generator, LabelSmoothing(TGT_VOCAB, 0), get_std_opt(model))
    with pytest.raises(ValueError, match="no token to predict"):
        run_epoch([Batch(torch.ones(2, S, dtype=torch.long), paddings)], model, compute)
    assert all(parameter.isfinite().all() for parameter in model.parameters())


def test_an_epoch_needs_a_batch() -> None:
    model = small_model()
    with pytest.raises(ValueError, match="no batch"):
        run_epoch([], model, SimpleLossCompute(model.generator, LabelSmoothing(TGT_VOCAB, 0)))


def test_a_model_is_of_even_size() -> None:
    with pytest.raises(ValueError, match="even"):
        make_model(SRC_VOCAB, TGT_VOCAB, N=1, d_model=D_MODEL + 1, d_ff=8, h=5)
