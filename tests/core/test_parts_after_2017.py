"""Each part that came after 2017, held to PyTorch's own function or to that of `transformers`, and to its law."""

from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn.functional import rms_norm, scaled_dot_product_attention
from transformers import LlamaConfig, MistralConfig
from transformers.masking_utils import create_sliding_window_causal_mask
from transformers.models.llama.modeling_llama import LlamaMLP, LlamaRMSNorm, LlamaRotaryEmbedding, apply_rotary_pos_emb

from tests.core.build import BATCH, D_FF, D_K, D_MODEL, HEADS, ROUNDING, N, T, assert_within, unsettle
from tests.core.one_stack import LENGTH, SWITCHES, VOCAB, logits, made, rows
from transformer_core import LearnedPositions, MultiHeadedAttention, record, shift_rotation, subsequent_mask
from transformer_core.after_2017.feed_forwards import GeluFeedForward, SwiGLUFeedForward
from transformer_core.after_2017.grouped_attention import GroupedAttention
from transformer_core.after_2017.rms_norm import RMSNorm
from transformer_core.after_2017.rotary import interleaved, rotated
from transformer_core.after_2017.window import window_mask

WHOLE = [LENGTH] * BATCH
SIZES: dict[str, Any] = {"hidden_size": D_MODEL, "num_attention_heads": HEADS, "intermediate_size": D_FF}


def vectors(*shape: int, dtype: torch.dtype = torch.float32) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(0), dtype=dtype)


def test_a_score_of_rotated_vectors_depends_on_their_distance_alone() -> None:
    q, k = vectors(T, D_K, dtype=torch.float64), vectors(T, D_K, dtype=torch.float64).flip(0)
    scores = rotated(q, 11) @ rotated(k, 4).T
    for both in (1, 100, 10_000):
        assert_within(rotated(q, 11 + both) @ rotated(k, 4 + both).T, scores, 1e-6)
    assert (rotated(q, 12) @ rotated(k, 4).T - scores).abs().max() > 0.1


def test_rotating_is_the_rotation_of_the_position_code_the_other_way_round_and_keeps_lengths() -> None:
    x = vectors(T, D_K, dtype=torch.float64)
    for at, vector in enumerate(rotated(x, 3)):
        assert_within(vector, x[at] @ shift_rotation(3 + at, D_K), 1e-12)
    assert_within(rotated(x).norm(dim=-1), x.norm(dim=-1), 1e-12)
    assert torch.equal(rotated(x)[0], x[0])
    assert_within(rotated(rotated(x, 3), 3, back=True), x, 1e-12)


def test_rotating_is_that_of_llama_in_its_other_layout() -> None:
    places = torch.arange(T).unsqueeze(0)
    config = LlamaConfig(**SIZES, rope_parameters={"rope_type": "default", "rope_theta": 500.0})
    x = vectors(BATCH, HEADS, T, D_K)  # pair i is (i, i + 3) in Llama's
    expected, _ = apply_rotary_pos_emb(x, x, *LlamaRotaryEmbedding(config)(x, places))

    def ours(y: Tensor) -> Tensor:
        return interleaved(y.movedim(-1, 0), 1).movedim(0, -1)

    assert_within(rotated(ours(x), base=500.0), ours(expected), ROUNDING)
    assert not torch.allclose(rotated(x, base=500.0), expected, atol=0.1)


def test_rms_norm_is_that_of_torch_and_of_llama() -> None:
    ours, theirs, x = RMSNorm(D_MODEL, 1e-5), LlamaRMSNorm(D_MODEL, 1e-5), 3 * vectors(BATCH, T, D_MODEL) + 1
    unsettle(ours)
    theirs.load_state_dict(ours.state_dict())
    with record(ours) as trace:
        found = ours(x)
    assert_within(found, theirs(x), ROUNDING)
    assert_within(found, rms_norm(x, (D_MODEL,), ours.weight, 1e-5), ROUNDING)
    assert_within(trace["normalised"].square().mean(-1), torch.ones(BATCH, T), 1e-4)
    assert trace["rms"].shape == (BATCH, T, 1)


@pytest.mark.parametrize("approximate", ["none", "tanh"])
def test_a_gelu_network_is_two_linear_layers_and_that_of_torch(approximate: Any) -> None:
    ours, x = GeluFeedForward(D_MODEL, D_FF, 0.0, approximate), vectors(BATCH, T, D_MODEL)
    assert_within(ours(x), nn.Sequential(ours.w_1, nn.GELU(approximate), ours.w_2)(x), ROUNDING)
    other = GeluFeedForward(D_MODEL, D_FF, 0.0, "tanh" if approximate == "none" else "none")
    other.load_state_dict(ours.state_dict())
    assert not torch.equal(ours(x), other(x))


def test_a_swiglu_network_is_that_of_llama() -> None:
    ours, theirs, x = SwiGLUFeedForward(D_MODEL, D_FF, 0.0), LlamaMLP(LlamaConfig(**SIZES)), vectors(2, T, D_MODEL)
    names = {"gate_proj": ours.w_1, "up_proj": ours.w_3, "down_proj": ours.w_2}
    theirs.load_state_dict({f"{name}.weight": layer.weight for name, layer in names.items()})
    with record(ours) as trace:
        assert_within(ours(x), theirs(x), ROUNDING)
    pre = trace["pre_activation"]
    assert_within(trace["hidden"], pre * pre.sigmoid() * trace["gate"], ROUNDING)


def test_with_two_thirds_of_the_neurons_a_swiglu_network_has_as_many_weights() -> None:
    relu, swiglu = made(d_ff=48).stack.layers[0], made(d_ff=32, feed_forward="swiglu").stack.layers[0]
    counts = [sum(p.numel() for p in each.feed_forward.parameters() if p.dim() > 1) for each in (relu, swiglu)]
    assert counts[0] == counts[1]


@pytest.mark.parametrize("groups", [1, 2, HEADS])
def test_grouped_attention_is_that_of_torch(groups: int) -> None:
    ours, x = GroupedAttention(HEADS, D_MODEL, 0.0, groups=groups), vectors(BATCH, T, D_MODEL)
    with record(ours) as trace:
        ours(x, x, x, subsequent_mask(T))
    q, k, v = (trace[name] for name in ("query", "key", "value"))
    assert k.shape == v.shape == (BATCH, groups, T, D_K)
    expected = scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
    assert_within(trace["heads"], expected, ROUNDING)


def test_with_a_group_for_each_head_it_is_the_attention_of_2017() -> None:
    ours, plain, x = GroupedAttention(HEADS, D_MODEL, 0.0), MultiHeadedAttention(HEADS, D_MODEL, 0.0), vectors(2, T, 24)
    plain.load_state_dict(ours.state_dict())
    with record(ours) as found, record(plain) as nothing:
        assert_within(plain(x, x, x, subsequent_mask(T)), ours(x, x, x, subsequent_mask(T)), ROUNDING)
    assert found.keys() <= {*nothing.keys(), *found.keys()}


@pytest.mark.parametrize("window", [1, 3, LENGTH])
def test_a_window_under_look_ahead_is_that_of_mistral(window: int) -> None:
    config: Any = MistralConfig(**SIZES, num_key_value_heads=HEADS, sliding_window=window)
    config._attn_implementation = "eager"
    x = vectors(1, LENGTH, D_MODEL)
    theirs: Any = create_sliding_window_causal_mask(
        config=config, inputs_embeds=x, attention_mask=None, past_key_values=None, position_ids=None
    )
    assert torch.equal(window_mask(LENGTH, window) & subsequent_mask(LENGTH), theirs[0] == 0)


def test_what_a_window_hides_reaches_on_by_one_window_a_layer() -> None:
    model, tokens = made(window=3), rows(WHOLE)
    far = N * 2  # layers times window − 1
    last = LENGTH - 1
    for at, counts in ((last - far, True), (last - far - 1, False)):
        other = tokens.clone()
        other[:, at] = tokens[:, at] % (VOCAB - 1) + 1
        assert bool((logits(model, other)[:, last] - logits(model, tokens)[:, last]).any()) == counts


def test_a_tied_generator_has_the_table_of_the_embeddings_and_no_matrix_more() -> None:
    tied, untied = made(tied=True), made()
    assert tied.generator.proj.weight is tied.embed[0].lut.weight
    parameters = [sum(p.numel() for p in each.parameters()) for each in (untied, tied)]
    assert parameters[0] - parameters[1] == VOCAB * D_MODEL
    tied.generator(tied(rows())).sum().backward()
    assert tied.embed[0].lut.weight.grad.abs().sum() > 0


def test_learned_positions_are_the_modules_that_the_encoder_decoder_has() -> None:
    assert type(made(positions="learned").embed[1]) is LearnedPositions


@pytest.mark.parametrize("name", ["no positions", "rotary positions"])
def test_where_positions_are_rotary_or_left_out_nothing_is_added_to_the_embeddings(name: str) -> None:
    with record(model := made(**SWITCHES[name])) as trace:
        model(rows())
    assert "tgt_embed.1.code" not in trace
    assert torch.equal(trace["tgt_embed.1.output"], trace["tgt_embed.0.output"])


def test_without_positions_a_bert_cannot_tell_the_order_and_with_rotary_ones_it_can() -> None:
    order = torch.tensor([3, 0, 6, 1, 5, 2, 4])
    for name, told in (("no positions", False), ("rotary positions", True), ("learned positions", True)):
        model = made("encoder", **SWITCHES[name])
        gap = (logits(model, rows(WHOLE)[:, order]) - logits(model, rows(WHOLE))[:, order]).abs().max()
        assert (gap > 1e-2) == told, name
