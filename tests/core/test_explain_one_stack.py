"""`explain` for models of one stack: Hugging Face's under our names, held to their own logits; and ours."""

from typing import Any

import pytest
import torch
from torch import nn

from tests.core.build import BATCH, HEADS, N, assert_within
from tests.core.hugging_rows import MODELS, VOCAB, bert, gpt2, llama
from tests.core.one_stack import LENGTH, logits, made, rows
from tests.core.test_hugging_face_one_stack import called
from transformer_core import explain

NAMES = [f"w{token}" for token in range(VOCAB)]
every_model = pytest.mark.parametrize("make", MODELS.values(), ids=MODELS)


@every_model
def test_a_model_of_one_stack_is_recorded_with_its_own_weights_and_logits(make: Any) -> None:
    theirs, tokens = make(), rows([LENGTH] * BATCH)
    found = explain(theirs, tokens, source_names=NAMES)
    expected = called(theirs, tokens)
    (stack,) = found.ids
    assert_within(found.trace["generator.logits"], expected.logits, 1e-5)
    assert_within(found.trace[f"{stack}.layers.1.self_attn.weights"], expected.attentions[1], 1e-5)
    assert found.differences.keys() == {"generator.logits"}
    assert found.remarks
    picture = found.weights(stack, N - 1)._repr_html_()
    assert picture == found._repr_html_()
    assert picture.count("<svg") == HEADS
    assert "w" in found.tokens(stack)[0]


def test_the_models_mode_stays_and_padding_is_masked_as_the_tokenizer_would() -> None:
    theirs = bert().train()
    found = explain(theirs, rows())
    assert theirs.training
    real = rows() != 0
    assert_within(found.trace["generator.logits"][real], called(theirs.eval(), rows()).logits[real], 1e-5)


def test_a_model_of_ours_is_recorded_as_it_is_and_with_changed_values() -> None:
    model = made(experts=3)
    found = explain(model, rows(), wanted=lambda path: path.endswith(("gates", "logits")))
    assert torch.equal(found.trace["generator.logits"], logits(model, rows()))
    assert found.differences == {}
    without = {"decoder.layers.0.self_attn.heads": torch.zeros_like}
    changed = explain(model, rows(), intervene=without).trace["generator.logits"]
    assert (changed - found.trace["generator.logits"]).abs().max() > 1e-3


def test_what_one_stack_does_not_have_is_refused_in_words() -> None:
    found = explain(gpt2(), rows())
    with pytest.raises(ValueError, match='a stack is "decoder", not'):
        found.weights("encoder", 0)
    for ask in (lambda: found.alignment(0), lambda: found.weights("decoder", 0, attention="src_attn")):
        with pytest.raises(ValueError, match="has no src_attn"):
            ask()
    with pytest.raises(ValueError, match="NoneType, and Linear is no model of one stack"):
        explain(nn.Linear(2, 2), rows())


def test_a_model_that_computes_otherwise_is_found() -> None:
    theirs = llama()
    theirs.lm_head.register_forward_hook(lambda module, given, output: output + 1)
    with pytest.raises(ValueError, match="its logits are off by"):
        explain(theirs, rows())
