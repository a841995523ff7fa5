"""GPT-2, BERT, Llama, Mistral and Mixtral of `transformers` with the same weights: the same logits, under our names."""

from typing import Any

import pytest
import torch
from torch import Tensor
from transformers import BertConfig, BertModel

from tests.core.build import BATCH, D_MODEL, HEADS, N, assert_within
from tests.core.hugging_rows import MODELS, SIZES, VOCAB, bert, gpt2, llama, mistral, mixtral, rotary
from tests.core.one_stack import LENGTH, logits, rows
from transformer_core import cached_continued, record
from transformer_core.after_2017.hugging_face import from_transformers, our_state, shape_of
from transformer_core.after_2017.one_stack import DecoderOnly, EncoderOnly

TOLERANCE = 1e-5
LINEAR = {"rope_type": "linear", "factor": 2.0, "rope_theta": 5.0}
every_model = pytest.mark.parametrize("make", MODELS.values(), ids=MODELS)


def called(model: Any, tokens: Tensor) -> Any:
    """What theirs returns; a BERT is told where the padding is."""
    mask = {"attention_mask": (tokens != 0).long()} if model.config.model_type == "bert" else {}
    model.set_attn_implementation("eager")
    with torch.no_grad():
        return model(input_ids=tokens, output_hidden_states=True, output_attentions=True, **mask)


@every_model
def test_logits_hidden_states_and_weights_are_theirs(make: Any) -> None:
    theirs, tokens = make(), rows()
    expected, ours = called(theirs, tokens), from_transformers(theirs)
    with record(ours) as trace, torch.no_grad():
        ours.generator(ours(tokens))
    real = tokens != 0 if isinstance(ours, EncoderOnly) else torch.ones_like(tokens, dtype=torch.bool)
    assert_within(trace["generator.logits"][real], expected.logits[real], TOLERANCE)
    for n in range(N):
        weights = trace[f"{ours.STACK}.layers.{n}.self_attn.weights"]
        assert_within(weights.transpose(1, 2)[real], expected.attentions[n].transpose(1, 2)[real], TOLERANCE)
        entered = trace[f"{ours.STACK}.layers.{n}.sublayer.0.input"]
        assert_within(entered[real], expected.hidden_states[n][real], TOLERANCE)
    assert trace[f"{ours.STACK}.layers.0.self_attn.query"].shape == (BATCH, HEADS, LENGTH, D_MODEL // HEADS)


@every_model
def test_as_many_numbers_are_learned(make: Any) -> None:
    theirs = make()
    ours = from_transformers(theirs)
    counts = [sum(parameter.numel() for parameter in model.parameters()) for model in (ours, theirs)]
    unused = 2 * D_MODEL + VOCAB * (not ours.shape.tied)  # BERT's two segments; untied, it has a bias that is not used
    assert counts[1] - counts[0] == (unused if isinstance(ours, EncoderOnly) else 0)


@pytest.mark.parametrize("make", [gpt2, llama, mistral, mixtral])
def test_what_it_writes_is_what_theirs_generates(make: Any) -> None:
    theirs, prompt = make(), rows([LENGTH] * BATCH)[:, :3]
    ours = from_transformers(theirs)
    assert isinstance(ours, DecoderOnly)
    theirs.generation_config.eos_token_id = None
    mask = torch.ones_like(prompt)
    expected = theirs.generate(prompt, attention_mask=mask, max_length=12, do_sample=False, pad_token_id=0)
    assert torch.equal(cached_continued(ours, prompt, 12), expected)


def test_the_weights_are_copies() -> None:
    theirs = gpt2()
    ours = from_transformers(theirs)
    before = logits(ours, rows())
    with torch.no_grad():
        for parameter in theirs.parameters():
            parameter.zero_()
    assert torch.equal(logits(ours, rows()), before)


def test_names_of_old_files_and_of_the_model_without_its_head_are_read() -> None:
    theirs, state = bert(), {}
    for name, value in theirs.state_dict().items():
        old = name.replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias", "LayerNorm.beta")
        state[old] = value
    settings = theirs.config.to_dict()
    new = our_state(settings, theirs.state_dict())
    assert all(torch.equal(value, new[name]) for name, value in our_state(settings, state).items())
    theirs = gpt2()
    alone = our_state(theirs.config.to_dict(), theirs.transformer.state_dict())
    assert alone.keys() == our_state(theirs.config.to_dict(), theirs.state_dict()).keys()


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (lambda: gpt2(scale_attn_by_inverse_layer_idx=True), "scale_attn_by_inverse_layer_idx = True"),
        (lambda: gpt2(activation_function="silu"), "activation_function = 'silu'"),
        (lambda: bert(hidden_act="relu"), "hidden_act = 'relu'"),
        (lambda: bert(is_decoder=True), "is_decoder = True"),
        (lambda: llama(attention_bias=True), "attention_bias = True"),
        (lambda: llama(head_dim=8), "head_dim = 8"),
        (lambda: mixtral(num_experts_per_tok=1), "num_experts_per_tok = 1"),
        (
            lambda: llama(rope_parameters={"rope_type": "linear", "factor": 2.0, "rope_theta": 5.0}),
            "rope_type = 'linear",
        ),
        (lambda: BertModel(BertConfig(**SIZES)), "cls.predictions"),
    ],
)
def test_what_our_parts_do_not_have_is_refused_by_its_name(model: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        from_transformers(model())


def test_a_parameter_too_many_or_too_few_is_named() -> None:
    theirs = llama()
    settings, state = theirs.config.to_dict(), theirs.state_dict()
    with pytest.raises(ValueError, match=r"layers\.1\.self_attn\.q_norm\.weight is no parameter"):
        our_state(settings, state | {"model.layers.1.self_attn.q_norm.weight": torch.ones(6)})
    del state["model.norm.weight"]
    with pytest.raises(ValueError, match=r"norm\.weight is missing"):
        our_state(settings, state)
    with pytest.raises(ValueError, match="'t5' is not read"):
        shape_of({"model_type": "t5"})


def test_the_base_of_the_rotation_is_read_from_old_settings_too() -> None:
    settings = llama(**rotary(500.0)).config.to_dict()
    assert shape_of(settings).rotary_base == 500.0
    del settings["rope_parameters"]
    assert shape_of(settings | {"rope_theta": 700.0}).rotary_base == 700.0
    assert shape_of(settings).rotary_base == 10_000.0
