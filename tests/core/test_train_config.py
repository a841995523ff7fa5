"""The settings of a run: what is refused, and in which words."""

import dataclasses
import json

import pytest

from transformer_core import make_model
from transformer_core.training.config import ConfigError, TrainConfig
from transformer_core.training.settings import SETTINGS


def test_the_defaults_are_the_recipe_that_was_measured():
    config = TrainConfig()
    assert (config.N, config.d_model, config.h, config.d_ff, config.batch) == (1, 64, 4, 256, 24)
    assert (config.rate, config.schedule, config.warmup, config.steps) == (1.5e-3, "cosine", 30, 180)
    assert (config.dropout, config.smoothing, config.embedding_std) == (0.0, 0.0, 0.3)


def test_the_notes_run_ten_epochs_of_twenty_batches_of_eight():
    config = TrainConfig.notes()
    assert (config.N, config.d_model, config.h, config.d_ff, config.dropout) == (2, 512, 8, 2048, 0.1)
    assert (config.batch, config.steps, config.schedule, config.factor, config.warmup) == (8, 200, "noam", 2.0, 4000)
    assert config.embedding_std is None
    assert TrainConfig.notes(eval_updates=True) == dataclasses.replace(config, steps=250, eval_updates=True)


def test_no_width_for_the_feed_forward_network_means_four_times_d_model():
    assert TrainConfig(d_model=24, d_ff=0).d_ff == 96
    assert TrainConfig(d_model=24, d_ff=7).d_ff == 7


@pytest.mark.parametrize("norm_first", [True, False])
def test_the_number_of_parameters_is_that_of_the_built_model(norm_first):
    config = TrainConfig(vocab=13, N=3, d_model=20, h=5, d_ff=34, norm_first=norm_first)
    model = make_model(13, 13, N=3, d_model=20, d_ff=34, h=5, norm_first=norm_first)
    assert config.parameters == sum(parameter.numel() for parameter in model.parameters())


@pytest.mark.parametrize(
    ("settings", "reason", "words"),
    [
        ({"d_model": 64, "h": 7}, "heads", "64 cannot be cut into 7 heads"),
        ({"d_model": 63, "h": 3}, "odd", "sines and cosines come in pairs"),
        ({"min_length": 9, "length": 8}, "lengths", "9, is above the longest, 8"),
        ({"schedule": "step"}, "choice", "cosine, noam, constant"),
        ({"task": "add"}, "choice", "one of copy, random, reverse"),
        ({"steps": 2.5}, "type", "steps must be int"),
        ({"steps": True}, "type", "steps must be int"),
        ({"rate": float("nan")}, "type", "rate must be float"),
        ({"clip": float("inf")}, "type", "clip must be float or None"),
        ({"seed": None}, "type", "seed must be int"),
    ],
)
def test_settings_that_cannot_be_trained_are_refused_in_words(settings, reason, words):
    with pytest.raises(ConfigError, match=words) as refusal:
        TrainConfig(**settings)
    assert refusal.value.reason == reason


@pytest.mark.parametrize("name", [name for name, setting in SETTINGS.items() if setting.high is not None])
def test_every_number_is_held_within_its_stated_bounds(name):
    low, high = SETTINGS[name].low, SETTINGS[name].high
    assert low is not None
    assert high is not None
    for outside in (type(high)(low - 1), type(high)(high + 1)):
        if name == "d_ff" and outside == 0:
            continue  # stands for 4·d_model
        with pytest.raises(ConfigError) as refusal:
            TrainConfig.from_dict({name: outside})
        assert refusal.value.values == {"name": name, "low": low, "high": high, "value": outside}


def test_a_run_of_any_size_can_be_described():
    """What a page trains is `ui.run_limits`."""
    config = TrainConfig(N=12, d_model=1024, h=32, vocab=32_000, steps=100_000, batch=512, length=256)
    assert config.parameters > 10**8
    assert TrainConfig(length=100, learned_positions=True).shape.position_rows == 100


def test_settings_survive_json():
    config = TrainConfig(min_length=3, clip=1.0, embedding_std=None, norm_first=False, rate=1, seed=9)
    assert TrainConfig.from_dict(json.loads(json.dumps(config.to_dict()))) == config


@pytest.mark.parametrize("values", [None, [], "copy", {"depth": 2}, {1: 2}, {"N": "2"}, {"N": []}, {"clip": {}}])
def test_nonsense_instead_of_settings_is_a_value_error(values):
    with pytest.raises(ValueError, match=r"\w"):
        TrainConfig.from_dict(values)


def test_settings_cannot_be_changed_once_checked():
    with pytest.raises(dataclasses.FrozenInstanceError):
        TrainConfig().h = 5  # type: ignore[misc]
