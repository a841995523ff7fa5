"""A model whose modules call each other directly: the same numbers, to the bit, under the same paths."""

from typing import get_args

import pytest
import torch
from torch import Tensor, nn

from tests.core.build import (
    D_MODEL,
    MAX_LEN,
    ROUNDING,
    SRC_VOCAB,
    TGT_VOCAB,
    N,
    S,
    T,
    assert_within,
    padded,
    small_model,
)
from transformer_core import (
    CachedDecoder,
    EncoderDecoder,
    cached_decode,
    greedy_decode,
    greedy_steps,
    intervene,
    padding_mask,
    record,
    target_mask,
)
from transformer_core.copies import direct
from transformer_core.exercises.faults.which_fault import FAULTS, spoiled
from transformer_core.experiments.rivals import Rival, make_rival

LENGTH = 6
SRC, TGT = padded([4, S], S, SRC_VOCAB), padded([T, 3], T, TGT_VOCAB)


def all_of(model: EncoderDecoder) -> dict[str, Tensor]:
    """A whole pass, with what is recorded of it."""
    with torch.no_grad(), record(model) as trace:
        model.generator(model(SRC, TGT, padding_mask(SRC), target_mask(TGT)))
    return trace


def recorded_directly(model: EncoderDecoder) -> dict[str, Tensor]:
    copy = direct(model)
    with torch.no_grad(), record(model) as trace:
        copy.generator(copy(SRC, TGT, padding_mask(SRC), target_mask(TGT)))
    return trace


def assert_the_same(trace: dict[str, Tensor], expected: dict[str, Tensor]) -> None:
    assert list(trace) == list(expected)
    assert [path for path in expected if not torch.equal(trace[path], expected[path])] == []


@pytest.mark.parametrize("norm_first", [True, False])
def test_every_value_is_that_of_the_model_and_recorded_as_its(norm_first: bool) -> None:
    model = small_model(norm_first)
    assert_the_same(recorded_directly(model), all_of(model))


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_copied_with_the_model(fault: str) -> None:
    model, _ = spoiled(small_model(), FAULTS[fault])
    assert_the_same(recorded_directly(model), all_of(model))


@pytest.mark.parametrize("kind", get_args(Rival))
def test_so_is_a_rival(kind: Rival) -> None:
    model = make_rival(kind, SRC_VOCAB, TGT_VOCAB, D_MODEL, N, MAX_LEN, 0.1).eval()
    assert_the_same(recorded_directly(model), all_of(model))


def state_of(model: nn.Module) -> dict[nn.Module, dict[str, object]]:
    """The attributes of each module, and what stands in those that are tables: parameters, buffers, parts, hooks."""
    return {
        module: {name: dict(value) if isinstance(value, dict) else value for name, value in vars(module).items()}
        for module in model.modules()
    }


def test_the_model_is_left_as_it_was_and_shares_its_numbers() -> None:
    model = small_model()
    before = state_of(model)
    copy = direct(model)
    assert state_of(model) == before
    shared = dict(model.state_dict(keep_vars=True))
    assert all(tensor is shared[name] for name, tensor in copy.state_dict(keep_vars=True).items())
    assert copy.state_dict().keys() == shared.keys()
    assert direct(copy) is copy


def test_a_copy_can_be_recorded_and_changed_for_itself() -> None:
    copy = direct(small_model())
    with torch.no_grad(), record(copy) as trace, intervene(copy, {"src_embed.1.output": torch.zeros_like}):
        copy.encode(SRC, padding_mask(SRC))
    assert not trace["src_embed.1.output"].any()


def test_a_module_may_have_an_empty_place() -> None:
    model = nn.Linear(2, 3, bias=False)
    model.register_module("nothing", None)
    x = torch.randn(4, 2)
    assert torch.equal(direct(model)(x), model(x))


def test_a_turn_with_the_cache_is_recorded_as_the_model() -> None:
    model, mask = small_model(), padding_mask(SRC)
    last = list(greedy_steps(model, SRC, mask, LENGTH))[-1]
    decoder = CachedDecoder(model, model.encode(SRC, mask), mask)
    with record(model) as trace:
        for token in last.ys.unbind(1):
            decoder.next(token)
    heads = [path for path in trace if path.endswith("attn.weights")]
    assert len(heads) == 2 * N
    for path in heads:
        assert_within(trace[path], last.trace[path][:, :, -1:], ROUNDING)


@pytest.mark.parametrize("attention", ["self_attn", "src_attn"])
def test_a_head_that_is_switched_off_is_off_with_the_cache(attention: str) -> None:
    def without_second(heads: Tensor) -> Tensor:
        return heads * torch.tensor([1.0, 0.0, *[1.0] * (heads.size(1) - 2)]).view(1, -1, 1, 1)

    model, mask = small_model(), padding_mask(SRC)
    untouched = [step.log_probs for step in greedy_steps(model, SRC, mask, LENGTH)]
    with intervene(model, {f"decoder.layers.0.{attention}.heads": without_second}):
        steps = list(greedy_steps(model, SRC, mask, LENGTH))
        decoder = CachedDecoder(model, model.encode(SRC, mask), mask)
        for step, token in zip(steps, steps[-1].ys.unbind(1)):
            assert_within(decoder.next(token), step.log_probs, ROUNDING)
        assert torch.equal(cached_decode(model, SRC, mask, LENGTH), greedy_decode(model, SRC, mask, LENGTH))
    assert not torch.allclose(steps[0].log_probs, untouched[0]), "the head was of use"
