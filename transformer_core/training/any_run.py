"""A run of a model of two stacks or of one, as whoever trains either asks for it."""

from collections.abc import Mapping
from typing import Any

from torch import Tensor

from transformer_core.after_2017.make import build
from transformer_core.after_2017.one_stack import OneStack
from transformer_core.model import EncoderDecoder
from transformer_core.training.config import TrainConfig
from transformer_core.training.history import EMPTY, History
from transformer_core.training.models import fresh_model, structure, with_weights
from transformer_core.training.row_config import RowConfig
from transformer_core.training.row_run import RowHistory, RowRun, fresh_one_stack
from transformer_core.training.run import TrainingRun

AnyConfig = TrainConfig | RowConfig
AnyHistory = History | RowHistory
AnyModel = EncoderDecoder | OneStack
AnyRun = TrainingRun | RowRun


def config_from(values: Mapping[str, Any]) -> AnyConfig:
    """The settings that `to_dict` of either gave. ConfigError if they are of neither."""
    return RowConfig.from_dict(values) if "kind" in values else TrainConfig.from_dict(values)


def run_of(config: AnyConfig) -> AnyRun:
    return RowRun(config) if isinstance(config, RowConfig) else TrainingRun(config)


def untrained(config: AnyConfig) -> AnyModel:
    """The model before its first update."""
    return fresh_one_stack(config) if isinstance(config, RowConfig) else fresh_model(config)


def model_with(config: AnyConfig, weights: Tensor) -> AnyModel:
    """The model of a run, in evaluation mode, with these weights (parameters,) in the order of `parameters()`.

    It shares their memory. ValueError if there are too many or too few.
    """
    if weights.shape != (config.parameters,):
        raise ValueError(f"{tuple(weights.shape)} weights for a model of {config.parameters} parameters")
    if isinstance(config, RowConfig):
        return with_weights(lambda: build(config.shape), weights)
    return with_weights(lambda: structure(config), weights)


def nothing_told(config: AnyConfig) -> AnyHistory:
    """The history of a run before its first report."""
    return RowHistory.of([]) if isinstance(config, RowConfig) else EMPTY
