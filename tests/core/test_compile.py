"""`torch.compile` makes one program of the model; recording and changing run the modules instead."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
from torch import Tensor

from tests.core.build import assert_within, small_batch, small_model
from transformer_core import EncoderDecoder, intervene, make_model, record

PATH = "decoder.layers.1.src_attn.weights"


class Programs:
    """A backend that counts how often its programs run."""

    def __init__(self) -> None:
        self.made, self.run = 0, 0

    def __call__(self, graph: Any, _: Any) -> Callable[..., Any]:
        self.made += 1

        def program(*given: Any) -> Any:
            self.run += 1
            return graph(*given)

        return program


@pytest.fixture
def given() -> tuple[Tensor, ...]:
    batch = small_batch()
    return batch.src, batch.tgt, batch.src_mask, batch.tgt_mask


@pytest.fixture(autouse=True)
def _afresh() -> Iterator[None]:
    torch._dynamo.reset()
    yield
    torch._dynamo.reset()


@pytest.mark.parametrize("norm_first", [True, False])
def test_the_model_is_one_program_with_the_same_numbers(given: tuple[Tensor, ...], norm_first: bool) -> None:
    model = small_model(norm_first)
    expected, programs = model(*given), Programs()
    compiled: Any = torch.compile(model, fullgraph=True, backend=programs)
    assert_within(compiled(*given), expected, 1e-5)
    assert (programs.made, programs.run) == (1, 1)


def test_dropout_breaks_no_program() -> None:
    model, programs = make_model(11, 13, N=1, d_model=8, d_ff=12, h=2).train(), Programs()
    given = torch.tensor([[1, 2, 3]]), torch.tensor([[4, 5]]), None, None
    compiled: Any = torch.compile(model, fullgraph=True, backend=programs)
    assert not torch.equal(compiled(*given), compiled(*given))
    assert (programs.made, programs.run) == (1, 2)


def test_compiled_training_finds_the_same_gradients(given: tuple[Tensor, ...]) -> None:
    model = small_model()  # so that nothing is dropped: the draws would differ
    compiled: Any = torch.compile(model, fullgraph=True, backend="aot_eager")
    gradients = []
    for one in (model, compiled):
        model.zero_grad()
        one(*given).square().sum().backward()
        gradients.append([parameter.grad for parameter in model.encoder.parameters()])
    for ours, theirs in zip(*gradients):
        assert_within(theirs, ours, 1e-4)


def test_a_model_that_is_compiled_in_place_keeps_the_names_of_its_state_dict(given: tuple[Tensor, ...]) -> None:
    model = small_model()
    names, expected, programs = list(model.state_dict()), model(*given), Programs()
    model.compile(fullgraph=True, backend=programs)
    assert_within(model(*given), expected, 1e-5)
    assert programs.run == 1
    assert list(model.state_dict()) == names
    with torch.no_grad(), record(model) as trace:
        model(*given)
    assert PATH in trace


def test_a_compiled_model_is_recorded_and_changed_and_then_runs_its_program_again(given: tuple[Tensor, ...]) -> None:
    model, programs = small_model(), Programs()
    compiled: Any = torch.compile(model, fullgraph=True, backend=programs)
    with torch.no_grad():
        expected = compiled(*given)
        with record(model) as plain:
            model(*given)
        with record(compiled) as trace:
            assert_within(compiled(*given), expected, 1e-5)
        assert trace.keys() == plain.keys()
        with intervene(compiled, {PATH: torch.zeros_like}):
            assert not torch.allclose(compiled(*given), expected)
        assert programs.run == 1
        assert_within(compiled(*given), expected, 1e-5)
    assert (programs.made, programs.run) == (1, 2)


def test_programs_run_again_only_when_the_last_of_several_blocks_has_ended(given: tuple[Tensor, ...]) -> None:
    model, programs = small_model(), Programs()
    compiled: Any = torch.compile(model, fullgraph=True, backend=programs)
    compiled(*given)
    one, other = record(model), record(model)  # as two threads would: the first to begin is the first to end
    one.__enter__()
    trace = other.__enter__()
    one.__exit__(None, None, None)
    compiled(*given)
    assert programs.run == 1
    other.__exit__(None, None, None)
    compiled(*given)
    assert programs.run == 2
    assert trace == {}


def test_a_recording_within_a_compiled_function_says_where_it_belongs(given: tuple[Tensor, ...]) -> None:
    model = small_model()

    def weights(model: EncoderDecoder) -> Tensor:
        with record(model) as trace:
            model(*given)
        return trace[PATH]

    with pytest.raises(RuntimeError, match="put it around the call of that function"):
        torch.compile(weights, backend="eager")(model)
