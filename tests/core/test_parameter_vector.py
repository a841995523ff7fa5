"""All parameters as one vector: the model's own are views of it, and keep their names, order and state dict."""

import pickle
from typing import Any

import pytest
import torch
from torch.nn.utils import get_total_norm, parameters_to_vector

from transformer_core import make_model
from transformer_core.training.config import TrainConfig
from transformer_core.training.run import TrainingRun
from transformer_core.training.vector import ParameterVector


@pytest.fixture
def model():
    torch.manual_seed(0)
    return make_model(7, 9, N=2, d_model=12, d_ff=10, h=3, max_len=9)


def fill(vector, gradients):
    vector.begin()
    for name, gradient in gradients.items():
        vector.place((name,)).copy_(gradient)


def in_its_order(vector, model):
    return torch.cat([model.get_parameter(name).detach().flatten() for name in vector.parts])


def test_nothing_of_the_model_changes(model):
    before = {name: value.clone() for name, value in model.state_dict().items()}
    vector = ParameterVector(model)
    assert list(before) == list(model.state_dict())
    assert all(torch.equal(value, before[name]) for name, value in model.state_dict().items())
    assert vector.parts.keys() == dict(model.named_parameters()).keys()
    assert torch.equal(vector.values, in_its_order(vector, model))


def test_what_moves_the_vector_moves_every_parameter_and_nothing_else(model):
    vector = ParameterVector(model)
    before = {name: parameter.detach().clone() for name, parameter in model.named_parameters()}
    with torch.no_grad():
        vector.values[vector.parts["decoder.layers.1.src_attn.linears.2.bias"]] += 1
    moved = {name for name, parameter in model.named_parameters() if not torch.equal(parameter, before[name])}
    assert moved == {"decoder.layers.1.src_attn.linears.2.bias"}
    torch.testing.assert_close(model.get_parameter(*moved), before[moved.pop()] + 1)


def test_gradients_stand_where_their_parameters_do_and_norms_are_those_of_the_parts(model):
    vector = ParameterVector(model)
    gradients = {name: torch.randn_like(parameter) for name, parameter in model.named_parameters()}
    fill(vector, dict(reversed(gradients.items())))
    for name, gradient in gradients.items():
        assert torch.equal(vector.gradient[vector.parts[name]].view_as(gradient), gradient)
    some = [name for name in gradients if name.endswith("linears.0.weight")]
    torch.testing.assert_close(vector.gradient_norm(some), get_total_norm([gradients[name] for name in some]))
    assert vector.gradient_norm([]) == 0


def test_matrices_that_are_multiplied_with_the_same_stand_one_below_the_other(model):
    vector = ParameterVector(model)
    vector.begin()
    whole = torch.randn(36, 12)
    for at in ("encoder.layers.1.self_attn", "decoder.layers.0.src_attn"):
        matrices = tuple(f"{at}.linears.{n}.weight" for n in range(3))
        vector.place(matrices).copy_(whole)
        vector.place(tuple(f"{at}.linears.{n}.bias" for n in range(3))).copy_(whole[:, 0])
        for name, part in zip(matrices, whole.chunk(3)):
            assert torch.equal(vector.gradient[vector.parts[name]].view_as(part), part)
            assert torch.equal(vector.place((name,)), part)
        assert torch.equal(vector.place(matrices[1:]), whole[12:])
        with pytest.raises(ValueError, match="do not stand together"):
            vector.place((matrices[0], matrices[2]))


def test_a_gradient_takes_memory_from_its_beginning_to_its_end_alone(model):
    vector = ParameterVector(model)
    for value in (1.0, 2.0):
        vector.begin()
        place = vector.place(("generator.proj.bias",))
        place.fill_(value)
        assert (vector.gradient[vector.parts["generator.proj.bias"]] == value).all()
        vector.end()
        assert vector.values.grad is None
        assert place.untyped_storage().nbytes() == 0


def test_a_run_that_was_sent_elsewhere_learns_on_as_if_it_had_stayed():
    config = TrainConfig(d_model=8, h=2, batch=4, vocab=7, length=6, steps=9)
    stayed = TrainingRun(config)
    for _ in range(3):
        stayed.update()
    sent = pickle.loads(pickle.dumps(stayed))
    for _ in range(3):
        assert sent.update().loss == stayed.update().loss
    assert torch.equal(parameters_to_vector(sent.model.parameters()), parameters_to_vector(stayed.model.parameters()))
    assert torch.equal(in_its_order(sent.vector, sent.model), sent.vector.values)


def test_autograd_leaves_its_gradients_in_the_same_places(model):
    vector = ParameterVector(model)
    parameters = [model.get_parameter(name) for name in vector.parts]
    expected = torch.autograd.grad(sum(w.square().sum() for w in parameters), parameters)
    for _ in range(2):
        vector.begin()
        vector.backward(sum(parameter.square().sum() for parameter in model.parameters()))
        assert torch.equal(vector.gradient, torch.cat([gradient.flatten() for gradient in expected]))
    assert all(parameter.grad is None for parameter in model.parameters())


def test_one_step_of_the_optimiser_on_the_vector_is_one_on_each_parameter(model):
    twin = make_model(7, 9, N=2, d_model=12, d_ff=10, h=3, max_len=9)
    twin.load_state_dict(model.state_dict())
    vector = ParameterVector(model)
    gradients = {name: torch.randn_like(parameter) for name, parameter in model.named_parameters()}
    settings: dict[str, Any] = {"lr": 0.01, "betas": (0.9, 0.98), "eps": 1e-9, "weight_decay": 0.0, "fused": True}
    one = torch.optim.AdamW([vector.values], **settings)
    many = torch.optim.AdamW(twin.parameters(), **settings)
    for name, parameter in twin.named_parameters():
        parameter.grad = gradients[name]
    fill(vector, gradients)
    one.step()
    many.step()
    for name, parameter in twin.named_parameters():
        torch.testing.assert_close(model.get_parameter(name), parameter, rtol=1e-6, atol=1e-7)
