"""The rivals of the Transformer: of its size, trained by its loop, and blind to what they must not see."""

from typing import Any

import numpy as np
import pytest
import torch

from transformer_core import PAD, START, copy_sequences, greedy_decode, padding_mask, record
from transformer_core.experiments.rivals import gaps
from transformer_core.tasks.batch import Pairs
from transformer_core.train import train
from transformer_core.training.any_run import model_with
from transformer_core.training.config import TrainConfig
from transformer_core.training.evaluation import answered
from transformer_core.training.history import History
from transformer_core.training.models import fresh_model

RIVALS = ["recurrent", "convolution"]
SMALL: dict[str, Any] = {"vocab": 7, "length": 6, "d_model": 16, "h": 2, "batch": 4, "N": 2}


def model_of(rival, **more):
    return fresh_model(TrainConfig(architecture=rival, **SMALL | more)).eval()


def outputs(model, src, tgt):
    with torch.no_grad():
        return model(src, tgt, padding_mask(src, PAD), None)


@pytest.mark.parametrize("rival", RIVALS)
@pytest.mark.parametrize("size", [{}, SMALL, {"N": 3, "d_model": 128, "length": 30, "vocab": 50}])
def test_a_rival_has_as_many_parameters_as_the_transformer_and_as_many_as_are_said(rival, size):
    config = TrainConfig(architecture=rival, **size)
    said = config.parameters
    assert said == sum(parameter.numel() for parameter in fresh_model(config).parameters())
    assert said == pytest.approx(TrainConfig(**size).parameters, rel=0.1)


@pytest.mark.parametrize("rival", RIVALS)
def test_the_future_of_the_target_changes_nothing_before_it(rival):
    model, src = model_of(rival), torch.tensor([[1, 3, 2, 5, 4]])
    tgt = torch.tensor([[1, 2, 3, 4, 5, 6]])
    other = torch.tensor([[1, 2, 3, 6, 6, 1]])
    torch.testing.assert_close(outputs(model, src, tgt)[:, :3], outputs(model, src, other)[:, :3])
    assert not torch.allclose(outputs(model, src, tgt)[:, 3], outputs(model, src, other)[:, 3])


@pytest.mark.parametrize("rival", RIVALS)
def test_padding_of_the_source_changes_nothing(rival):
    model, tgt = model_of(rival), torch.tensor([[1, 2, 3]])
    short = outputs(model, torch.tensor([[1, 3, 2]]), tgt)
    padded = outputs(model, torch.tensor([[1, 3, 2, PAD, PAD]]), tgt)
    torch.testing.assert_close(short, padded)


@pytest.mark.parametrize("rival", RIVALS)
def test_the_first_prediction_hears_of_the_last_token_of_the_source(rival):
    model, tgt = model_of(rival), torch.tensor([[1]])
    one, other = torch.tensor([[1, 3, 2, 5, 4, 6]]), torch.tensor([[1, 3, 2, 5, 4, 2]])
    assert not torch.equal(outputs(model, one, tgt), outputs(model, other, tgt))


def test_the_recurrent_decoder_hears_of_the_source_through_one_state_per_layer():
    model = model_of("recurrent")
    memory = model.encode(torch.tensor([[1, 3, 2, 5, 4, 6]]), None)
    assert memory.shape == (1, 2, TrainConfig(architecture="recurrent", **SMALL).width)


def test_a_tower_of_convolutions_joins_every_two_positions():
    for length in (2, 5, 6, 14, 15):
        assert 2 * length - 1 <= 3 ** len(gaps(1, length)) < 3 * (2 * length - 1)
    assert gaps(2, 5) == [1, 3, 1, 3]


@pytest.mark.parametrize("rival", RIVALS)
def test_a_source_shorter_than_the_target_is_decoded_and_so_is_one_of_padding_alone(rival):
    for src in (torch.tensor([[1, 3]]), torch.full((1, 4), PAD)):
        assert greedy_decode(model_of(rival), src, padding_mask(src, PAD), 8, START).shape == (1, 8)


@pytest.mark.parametrize("rival", RIVALS)
def test_exact_match_is_what_greedy_decoding_gives(rival):
    model = model_of(rival, N=1)
    sequences = copy_sequences(3, 40, 3, generator=torch.Generator().manual_seed(5))
    decoded = greedy_decode(model, sequences, padding_mask(sequences, PAD), 3, START)
    assert torch.equal(answered(model, Pairs(sequences, sequences)), (decoded == sequences).all(1))


@pytest.mark.parametrize("rival", RIVALS)
def test_a_run_is_a_function_of_its_settings_and_its_weights_make_the_model_again(rival):
    config = TrainConfig(architecture=rival, steps=3, **SMALL)
    once, again = (History.of(list(train(config))) for _ in range(2))
    np.testing.assert_array_equal(once.loss, again.loss)
    assert once.cross_attention.shape == (2, 0, 2, 5, 6)
    model = fresh_model(config)
    weights = torch.nn.utils.parameters_to_vector(model.parameters()).detach()
    with record(model):
        src = torch.tensor([[1, 2, 3]])
        torch.testing.assert_close(outputs(model.eval(), src, src), outputs(model_with(config, weights), src, src))


def test_the_first_batch_of_all_three_is_the_same_and_guessing_costs_them_alike():
    first = [next(train(TrainConfig(architecture=name))).loss for name in ("transformer", *RIVALS)]
    assert first == pytest.approx([np.log(11)] * 3, abs=0.5)
