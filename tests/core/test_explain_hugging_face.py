"""`explain` names what an encoder-decoder of Hugging Face's computes, and holds it to the model's own numbers."""

from typing import Any

import pytest
import torch
from torch import nn
from transformers import (
    BertConfig,
    BertLMHeadModel,
    BertModel,
    EncoderDecoderModel,
    GPT2Config,
    GPT2LMHeadModel,
    LongT5Config,
    LongT5ForConditionalGeneration,
    SwitchTransformersConfig,
    SwitchTransformersForConditionalGeneration,
    WhisperConfig,
    WhisperForConditionalGeneration,
)
from transformers.models.marian.modeling_marian import MarianEncoderLayer

from tests.core.build import D_FF, D_K, D_MODEL, HEADS, MAX_LEN, N, small_batch, small_model
from tests.core.hugging import LAYERS, MODELS, PAD, SIZES, SOURCE, T5_SIZES, TARGET, VOCAB, called, marian, t5
from transformer_core import explain, record

TOLERANCE = 1e-5
S, T, BATCH = SOURCE.size(1), TARGET.size(1), len(SOURCE)
every_model = pytest.mark.parametrize("make", MODELS.values(), ids=MODELS)
PAIRS = {"encoder_attentions": "encoder.layers.{}.self_attn", "decoder_attentions": "decoder.layers.{}.self_attn"}
PAIRS["cross_attentions"] = "decoder.layers.{}.src_attn"


def close(actual: Any, expected: Any) -> None:
    torch.testing.assert_close(actual, expected, rtol=0, atol=TOLERANCE * max(1.0, float(expected.abs().max())))


@every_model
@pytest.mark.parametrize("attention", ["sdpa", "eager"])
def test_the_weights_of_all_heads_are_those_that_the_model_returns(make: Any, attention: str) -> None:
    model = make()
    model.set_attn_implementation("eager")
    own = called(model, output_attentions=True)
    if model._supports_sdpa:
        model.set_attn_implementation(attention)
    trace = explain(model, SOURCE, TARGET).trace
    for name, path in PAIRS.items():
        returned = getattr(own, name)
        assert len(returned) == (N if name == "encoder_attentions" else LAYERS)
        for layer, weights in enumerate(returned):
            close(trace[f"{path.format(layer)}.weights"], weights)
    assert trace["decoder.layers.1.src_attn.weights"].shape == (BATCH, HEADS, T, S)
    assert not trace["encoder.layers.0.self_attn.weights"][1, ..., 3:].any()  # of padding
    assert not trace["decoder.layers.2.self_attn.weights"][..., 1, 2:].any()  # of what comes later


@every_model
def test_the_hidden_states_and_logits_are_the_models_own(make: Any) -> None:
    model = make()
    own, found = called(model, output_hidden_states=True), explain(model, SOURCE, TARGET)
    for stack, layers, states in (
        ("encoder", N, own.encoder_hidden_states),
        ("decoder", LAYERS, own.decoder_hidden_states),
    ):
        assert len(states) == layers + 1
        close(found.trace[f"{'src' if stack == 'encoder' else 'tgt'}_embed.1.output"], states[0])
        for layer in range(layers - 1):  # of the last some models return what their last norm makes of it
            close(found.trace[f"{stack}.layers.{layer}.output"], states[layer + 1])
        close(found.trace[f"{stack}.output"], states[-1])
    close(found.trace["generator.logits"], own.logits)
    close(found.log_probs.exp().sum(-1), torch.ones(BATCH, T))
    assert found.log_probs.shape == (BATCH, T, VOCAB)
    assert torch.equal(found.ids["encoder"], SOURCE)
    assert torch.equal(found.ids["decoder"], TARGET)
    assert max(found.differences.values()) < TOLERANCE
    attentions, sublayers, stacks = N + 2 * LAYERS, 2 * N + 3 * LAYERS, 2
    assert len(found.differences) == attentions + sublayers + N + LAYERS + stacks


@every_model
def test_every_name_of_ours_is_there_but_those_that_the_remarks_say(make: Any) -> None:
    batch, model = small_batch(torch.Generator().manual_seed(0)), small_model(norm=nn.LayerNorm)
    with record(model) as ours:
        model.generator(model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask))
    found = explain(make(), SOURCE, TARGET)
    lacks_code = any("no position code" in remark or "are rotated" in remark for remark in found.remarks)
    assert lacks_code == (make in (MODELS["T5"], MODELS["gated T5"], MODELS["T5Gemma"]))
    assert ours.keys() - found.trace.keys() == ({"src_embed.1.code", "tgt_embed.1.code"} if lacks_code else set())


def test_what_a_kind_has_instead_is_said() -> None:
    said = {name: " | ".join(explain(make(), SOURCE, TARGET).remarks) for name, make in MODELS.items()}
    for name in ("T5", "gated T5"):
        assert "not divided by √d_k" in said[name]
        assert "*.self_attn.bias" in said[name]
        assert "T5LayerNorm, subtracts no mean" in said[name]
    assert "· gate" in said["gated T5"]
    assert "gate" not in said["T5"]
    assert "activation" not in said["T5"]
    assert "MarianSinusoidalPositionalEmbedding" in said["Marian"]
    assert "activation is gelu" in said["Marian"]
    assert "√d" not in said["Marian"]
    assert "BartLearnedPositionalEmbedding" in said["BART"]
    assert "not multiplied by √d_model" in said["BART"]
    assert "normalised before the first layer" in said["BART"]
    for what in ("products · 0.408", "scores are kept within ±5.0", "rotated", "branch", "logits are kept within ±9.0"):
        assert what in said["T5Gemma"]
    assert "√d" not in said["FSMT"]


def test_what_is_added_to_the_logits_is_said() -> None:
    model = marian()
    model.final_logits_bias += 1.5
    found = explain(model, SOURCE, TARGET)
    close(found.trace["generator.logits"], called(model).logits)
    assert "final_logits_bias is added to the logits" in found.remarks
    assert "final_logits_bias is added to the logits" not in explain(marian(), SOURCE, TARGET).remarks


def test_of_t5_scores_are_products_and_a_bias_that_depends_on_the_distance_alone() -> None:
    trace = explain(t5(), SOURCE, TARGET).trace
    for path in ("encoder.layers.1.self_attn", "decoder.layers.0.self_attn"):
        bias = trace[f"{path}.bias"]
        close(trace[f"{path}.scores"], trace[f"{path}.products"] + bias)
        assert bias.shape == (1, HEADS, *trace[f"{path}.products"].shape[-2:])
        assert torch.equal(bias[..., :-1, :-1], bias[..., 1:, 1:])
        assert bias.any()
    assert "decoder.layers.0.src_attn.bias" not in trace
    close(trace["decoder.layers.0.src_attn.scores"], trace["decoder.layers.0.src_attn.products"])


def test_of_marian_scores_are_divided_and_rows_are_scaled_and_added_to_positions() -> None:
    model = marian()
    trace = explain(model, SOURCE, TARGET).trace
    close(trace["encoder.layers.0.self_attn.scores"], trace["encoder.layers.0.self_attn.products"] / D_K**0.5)
    close(trace["src_embed.0.rows"], model.model.encoder.embed_tokens(SOURCE).detach())
    close(trace["src_embed.0.output"], trace["src_embed.0.rows"] * D_MODEL**0.5)
    close(trace["src_embed.0.output"] + trace["src_embed.1.code"], trace["src_embed.1.output"])
    assert trace["src_embed.1.code"].shape == (1, S, D_MODEL)


def test_a_model_of_speech_is_refused_by_what_it_reads() -> None:
    sizes = {name: value for name, value in SIZES.items() if name not in ("max_position_embeddings", "init_std")}
    model = WhisperForConditionalGeneration(WhisperConfig(**sizes, num_mel_bins=4, begin_suppress_tokens=None))
    with pytest.raises(ValueError, match="encoder of WhisperForConditionalGeneration reads input_features"):
        explain(model, SOURCE, TARGET)


def test_a_figure_shows_the_heads_with_the_readers_names() -> None:
    names = [f"word{token}" for token in range(VOCAB)]
    found = explain(marian(), SOURCE, TARGET, source_names=names, target_names=names)
    figure = found.weights("decoder", 1)
    assert figure._repr_html_().count("<svg") == HEADS
    assert figure.columns == ["word3", "word4", "word5", "word6", "word0"]
    assert found.tokens("decoder", 1) == [f"word{PAD}", "word9", "word9"]


def test_one_sentence_needs_no_batch_and_another_call_may_be_made() -> None:
    model = marian()
    whole = explain(model, SOURCE, TARGET).trace
    alone = explain(model, SOURCE[0], TARGET[0]).trace
    close(alone["decoder.layers.1.src_attn.weights"], whole["decoder.layers.1.src_attn.weights"][:1])
    unmasked = explain(
        model, SOURCE, TARGET, run=lambda src, tgt: model(input_ids=src, decoder_input_ids=tgt, labels=tgt)
    )
    assert unmasked.trace["encoder.layers.0.self_attn.weights"][1, ..., 3:].all()
    assert unmasked.log_probs.shape == (BATCH, T, VOCAB)


def test_a_model_without_an_output_layer_has_all_but_the_logits() -> None:
    found = explain(marian().model, SOURCE, TARGET)
    assert "generator.logits" not in found.trace
    assert "there are no generator.logits: the model has no output layer" in found.remarks
    with pytest.raises(ValueError, match="has no output layer"):
        _ = found.log_probs
    assert found.alignment(1).rows == [*map(str, TARGET[0, 1:].tolist()), "…"]
    close(found.trace["decoder.output"], explain(marian(), SOURCE, TARGET).trace["decoder.output"])


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
@every_model
def test_half_precision_is_held_to_what_it_can_hold(make: Any, dtype: torch.dtype) -> None:
    found, exact = explain(make().to(dtype), SOURCE, TARGET), explain(make(), SOURCE, TARGET)
    name = "decoder.layers.0.src_attn.weights"
    assert 0 < max(found.differences.values()) < 4 * torch.finfo(dtype).eps
    torch.testing.assert_close(found.trace[name].float(), exact.trace[name], rtol=0, atol=0.1)


def test_what_computes_something_else_says_so_with_its_name() -> None:
    model = marian()
    model.model.decoder.layers[1].encoder_attn.scaling *= 2
    with pytest.raises(ValueError, match=r"model\.decoder\.layers\.1\.encoder_attn computes something else as well"):
        explain(model, SOURCE, TARGET)
    model = t5()
    model.encoder.block[1].layer[0].dropout = nn.Threshold(10.0, 0.0)
    with pytest.raises(ValueError, match=r"encoder\.block\.1 computes something else as well"):
        explain(model, SOURCE, TARGET)
    model = marian()
    layer = model.model.encoder.layers[0]
    layer.first = layer._modules.pop("fc1")
    layer.__class__ = type("Renamed", (MarianEncoderLayer,), {"fc1": property(lambda layer: layer.first)})
    with pytest.raises(ValueError, match=r"model\.encoder\.layers\.0, a Renamed, has no fc1"):
        explain(model, SOURCE, TARGET)


def test_weights_that_are_no_numbers_are_called_so_where_they_enter() -> None:
    model = marian()
    nn.init.constant_(model.model.encoder.layers[1].fc1.weight, float("nan"))
    with pytest.raises(
        ValueError, match=r"^model\.encoder\.layers\.1 has computed .* NaN: .* encoder\.layers\.1\.sublayer\.1"
    ):
        explain(model, SOURCE, TARGET)


def test_tokens_and_lengths_that_it_does_not_know_are_refused_in_words() -> None:
    model = marian()
    with pytest.raises(ValueError, match=r"model\.encoder\.embed_tokens has 17 rows, .* none for token 17"):
        explain(model, torch.tensor([[3, 17]]), TARGET[:1])
    long = torch.ones(1, 100, dtype=torch.long)
    with pytest.raises(ValueError, match=r"model\.decoder\.embed_positions has .* too long for a table of positions"):
        explain(model, SOURCE[:1], long)


def test_nothing_of_the_model_stays_changed() -> None:
    model = t5().train()
    state = {name: value.clone() for name, value in model.state_dict().items()}
    explain(model, SOURCE, TARGET)
    assert all(module.training for module in model.modules())
    assert not [module for module in model.modules() if module._forward_hooks or module._forward_pre_hooks]
    assert all(torch.equal(value, state[name]) for name, value in model.state_dict().items())


BERT: dict[str, Any] = {
    "vocab_size": VOCAB,
    "hidden_size": D_MODEL,
    "num_hidden_layers": 1,
    "num_attention_heads": HEADS,
    "intermediate_size": D_FF,
    "max_position_embeddings": MAX_LEN,
    "pad_token_id": PAD,
}
SWITCH = T5_SIZES | {"num_experts": 2, "num_sparse_encoder_layers": 1, "num_sparse_decoder_layers": 1}


def bert_to_bert() -> Any:
    decoder = BertLMHeadModel(BertConfig(**BERT, is_decoder=True, add_cross_attention=True))
    return EncoderDecoderModel(encoder=BertModel(BertConfig(**BERT)), decoder=decoder)


OTHERS = {
    "GPT-2": (
        lambda: GPT2LMHeadModel(GPT2Config(vocab_size=VOCAB, n_embd=D_MODEL, n_layer=1, n_head=HEADS)),
        "a single stack: explain",
    ),
    "BERT": (lambda: BertModel(BertConfig(**BERT)), "a single stack: explain"),
    "two BERTs": (bert_to_bert, "none of"),
    "LongT5": (lambda: LongT5ForConditionalGeneration(LongT5Config(**T5_SIZES)), "none of"),
    "Switch": (lambda: SwitchTransformersForConditionalGeneration(SwitchTransformersConfig(**SWITCH)), "has no layer"),
}


@pytest.mark.parametrize(("make", "reason"), OTHERS.values(), ids=OTHERS)
def test_a_model_of_theirs_that_is_not_read_is_called_by_its_name_and_its_own_weights_named(
    make: Any, reason: str
) -> None:
    model = make().eval()
    with pytest.raises(ValueError, match=reason) as refusal:
        explain(model, SOURCE, TARGET)
    assert str(refusal.value).startswith(type(model).__name__)
    assert "output_attentions=True" in str(refusal.value)
    if "takes" not in reason and "has no" not in reason:  # whatever module is handed over as its stacks
        with pytest.raises(ValueError, match=reason):
            explain(model, SOURCE, TARGET, encoder=model, decoder=model)
    model.set_attn_implementation("eager")
    given = {"decoder_input_ids": TARGET} if model.config.is_encoder_decoder else {}
    with torch.no_grad():
        own = model(input_ids=SOURCE, output_attentions=True, **given)
    assert own.cross_attentions if given else own.attentions
