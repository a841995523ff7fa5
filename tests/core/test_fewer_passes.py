"""Where nothing but gradients is wanted, a GPU takes fewer passes: the numbers and gradients are those of the steps."""

import sys
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

from tests.core.build import BATCH, D_MODEL, HEADS, S, T, assert_within, small_batch, small_model
from transformer_core import EncoderDecoder, attention_steps, intervene, layer_norm_steps, record, subsequent_mask
from transformer_core.attention import attention_in_one_pass
from transformer_core.layer_norm import GradientByFormula
from transformer_core.notes import MultiHeadedAttention as NotesAttention

ONE_KEY = torch.arange(S) == 2
MASKS = {
    "none": None,
    "rows_of_nothing": ONE_KEY & (torch.arange(T) % 2 == 1).unsqueeze(1),
    "one_key": ONE_KEY,
    "numbers": (torch.arange(S) % 2).float().expand(BATCH, 1, 1, S),
}


def leaves(*sizes: tuple[int, ...]) -> list[Tensor]:
    return [torch.randn(size, dtype=torch.float64, requires_grad=True) for size in sizes]


@pytest.mark.parametrize("scale", [True, False])
@pytest.mark.parametrize("name", MASKS)
def test_attention_in_one_pass_has_output_and_gradients_of_the_steps(name: str, scale: bool) -> None:
    q, k, v = leaves((BATCH, HEADS, T, 4), (BATCH, HEADS, S, 4), (BATCH, HEADS, S, 7))
    found = attention_in_one_pass(q, k, v, MASKS[name], scale=scale)
    expected = attention_steps(q, k, v, MASKS[name], scale=scale).output
    assert_within(found, expected, 1e-12)
    towards = torch.randn_like(found)
    for one, other in zip(*(torch.autograd.grad((out * towards).sum(), (q, k, v)) for out in (found, expected))):
        assert_within(one, other, 1e-12)


def test_attention_in_one_pass_refuses_what_the_steps_refuse() -> None:
    q, k, v = torch.ones(1, 2, T, 4), torch.ones(1, 2, S, 4), torch.ones(1, 2, S, 4)
    refused: list[tuple[Any, str]] = [
        ((q, k, v[..., 1:, :]), "every key needs one value"),
        ((q, k[..., 1:], v), "has no product with a key"),
        ((q, k, v, torch.full((T, S), -9.0)), "a mask holds True or 1"),
        ((q, k, v, ONE_KEY[1:]), r"does not broadcast to scores \(1, 2, 5, 7\)"),
    ]
    for given, said in refused:
        for attend in (attention_steps, attention_in_one_pass):
            with pytest.raises(ValueError, match=said):
                attend(*given)


def test_the_norms_gradient_by_the_formula_is_that_of_differences() -> None:
    x, a, b = leaves((3, 2, 7), (7,), (7,))

    def by_formula(x: Tensor, a: Tensor, b: Tensor) -> Tensor:
        output: Tensor = GradientByFormula.apply(x, a, b, 1e-2)
        return output

    assert torch.equal(by_formula(x, a, b), layer_norm_steps(x, a, b, 1e-2).output)
    assert torch.autograd.gradcheck(by_formula, (x, a, b))


def learned(model: EncoderDecoder) -> tuple[Tensor, list[Tensor]]:
    batch = small_batch(torch.Generator().manual_seed(1))
    out = model.generator(model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask))
    loss = -out.gather(-1, batch.tgt_y.unsqueeze(-1)).mean()
    return out, list(torch.autograd.grad(loss, list(model.parameters()), materialize_grads=True))


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """As on a GPU, with what was computed in one pass."""
    passes: list[str] = []

    def counting(name: str, function: Callable[..., Tensor]) -> Callable[..., Tensor]:
        def counted(*given: Any, **how: Any) -> Tensor:
            passes.append(name)
            return function(*given, **how)

        return counted

    monkeypatch.setattr("transformer_core.trace.COSTLY", ("cpu",))
    module = sys.modules["transformer_core.attention"]
    monkeypatch.setattr(module, "attention_in_one_pass", counting("attention", attention_in_one_pass))
    monkeypatch.setattr(GradientByFormula, "apply", counting("norm", GradientByFormula.apply))
    return passes


def test_a_model_learns_the_same_there(counted: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    model = small_model()
    out, gradients = learned(model)
    N = len(model.encoder.layers)
    assert counted.count("attention") == 3 * N
    assert counted.count("norm") == 5 * N + 2
    monkeypatch.setattr("transformer_core.trace.COSTLY", ())
    counted.clear()
    expected, others = learned(model)
    assert counted == []
    assert_within(out, expected, 1e-5)
    for one, other in zip(gradients, others, strict=True):
        assert_within(one, other, 1e-5)


def test_what_is_recorded_changed_or_only_asked_goes_step_by_step(counted: list[str]) -> None:
    model = small_model()
    with record(model) as trace:
        learned(model)
    assert "decoder.layers.1.src_attn.weights" in trace
    with intervene(model, {"encoder.layers.0.self_attn.weights": torch.zeros_like}):
        learned(model)
    with torch.no_grad():
        model.encode(torch.tensor([[1, 2, 3]]), None)
    x = torch.randn(2, 3, D_MODEL)  # a gradient for each of two sequences
    torch.func.vmap(torch.func.grad(lambda x: model.encoder(x.unsqueeze(0), None).sum()))(x)
    assert counted == []


def test_who_attends_in_another_way_goes_step_by_step(counted: list[str]) -> None:
    theirs = NotesAttention(2, 8, dropout=0.0)
    theirs(*[torch.randn(1, 3, 8)] * 3, subsequent_mask(3)).sum().backward()
    assert theirs.attn is not None
    assert counted == []
