"""A model of one stack in a file, format 5 of ours, and in the folder of a model of `transformers`.

The file is a safetensors file: the model's shape, the settings of its run if it had one, the step and the weights.
Nothing of it is trusted until it has been compared with the shapes of such a model, as in `checkpoint`.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, fields
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor

from transformer_core.after_2017.hugging_face import is_known, our_state, shape_of
from transformer_core.after_2017.make import build
from transformer_core.after_2017.one_stack import OneStack
from transformer_core.after_2017.shape import OneStackShape
from transformer_core.training.checkpoint import STATE, filled
from transformer_core.training.config import ConfigError
from transformer_core.training.not_a_model import NotAModel
from transformer_core.training.row_config import RowConfig
from transformer_core.training.shape import POSITIONS
from transformer_core.training.tensor_file import packed

ONE_STACK = 5  # the format
SETTINGS_FILE = "config.json"  # of `transformers`, beside the weights
MOST_SETTINGS = 2**20  # bytes of it
NEW = {"experts", "top_k"}  # switches that a file of an earlier release does not have
FLOATS = (torch.float32, torch.float64, torch.float16, torch.bfloat16)


class OneStackCheckpoint(NamedTuple):
    model: OneStack  # in evaluation mode
    config: RowConfig | None  # of its run; None for a model that had none of ours
    step: int


def save_one_stack(
    path: str | Path,
    model: OneStack,
    config: RowConfig | None = None,
    step: int = 0,
    state: Mapping[str, Tensor] | None = None,
) -> None:
    """Write a model as it is after `step` steps of the run `config`, if it had one. `load_any` reads the file.

    With the `state` that `resume.state_of` gives the run can go on from there.
    """
    Path(path).write_bytes(one_stack_bytes(model, config, step, state))


def one_stack_bytes(
    model: OneStack, config: RowConfig | None, step: int, state: Mapping[str, Tensor] | None = None
) -> bytes:
    """The content of that file."""
    weights = {name: weight.detach().cpu().clone() for name, weight in model.named_parameters()}
    weights |= {STATE + name: values.detach().cpu() for name, values in (state or {}).items()}
    known = {"shape": asdict(model.shape), "run": None if config is None else config.to_dict()}
    return packed(weights, {"format": ONE_STACK, "config": known, "step": step})


def is_one_stack(parts: Any) -> bool:
    """Whether a file holds what `save_one_stack` writes."""
    return isinstance(parts, dict) and parts.get("format") == ONE_STACK


def one_stack_of(parts: Mapping[str, Any], most: int) -> OneStackCheckpoint:
    """The model in what a file holds. NotAModel if that is not what `save_one_stack` writes."""
    known, weights, step = (parts.get(name) for name in ("config", "weights", "step"))
    if not isinstance(known, dict) or set(known) != {"shape", "run"} or not isinstance(weights, dict):
        raise NotAModel("parts", "the file lacks the shape, the run or the weights of a model of one stack")
    weights = {name: weight for name, weight in weights.items() if not str(name).startswith(STATE)}
    shape = _shape(known["shape"], len(weights))
    try:
        config = None if known["run"] is None else RowConfig.from_dict(known["run"])
    except ConfigError as problem:
        raise NotAModel("settings", str(problem)) from problem
    if config is not None and config.shape != shape:
        raise NotAModel("settings", "the file's run is not one of a model of its shape")
    steps = 0 if config is None else config.steps
    if type(step) is not int or not 0 <= step <= steps:
        message = f"the file claims step {step!r:.40} of a run of {steps} steps"
        raise NotAModel("step", message, step=f"{step!r:.40}", steps=steps)
    return OneStackCheckpoint(filled(partial(build, shape), weights, most), config, step)


def transformers_settings(source: object) -> Mapping[str, Any] | None:
    """Those of a model of `transformers` that is read here, in a folder that it was saved in; None of anything else."""
    if not isinstance(source, str | Path) or not (path := Path(source) / SETTINGS_FILE).is_file():
        return None
    try:
        settings = json.loads(path.read_bytes()[:MOST_SETTINGS])
    except (ValueError, RecursionError):
        return None
    return settings if is_known(settings) else None


def one_stack_from_transformers(settings: Mapping[str, Any], state: Any, most: int) -> OneStackCheckpoint:
    """The model of such a folder. NotAModel if settings and weights do not belong together."""
    try:
        shape = _shape(asdict(shape_of(settings)), len(state))
        weights = our_state(settings, state)
    except (ValueError, TypeError, KeyError, AttributeError, IndexError) as problem:
        raise NotAModel("transformers", f"the model in the folder is not read here: {problem}") from problem
    return OneStackCheckpoint(filled(partial(build, shape), weights, most, FLOATS), None, 0)


def _shape(values: object, tensors: int) -> OneStackShape:
    """NotAModel unless it is the shape of a model with so many tensors: an outline of more layers would take for
    ever."""
    kinds: dict[str, Any] = {field.name: field.type for field in fields(OneStackShape)}
    if not isinstance(values, dict) or not kinds.keys() - NEW <= values.keys() <= kinds.keys():
        raise NotAModel("settings", "the file's shape is not that of a model of one stack")
    for name, value in values.items():
        number = isinstance(value, int | float) and type(value) is not bool
        a_kind = isinstance(value, kinds[name]) and (type(value) is not bool or kinds[name] is bool)
        if not a_kind and not (number and kinds[name] in (float, float | None)):
            raise NotAModel("settings", f"the file's shape has {name} = {value!r:.40}")
        if number and not (math.isfinite(value) and abs(value) < 2**31):
            raise NotAModel("settings", f"the file's shape has {name} = {value!r:.40}")
    try:
        shape = OneStackShape(**values)
    except ValueError as problem:
        raise NotAModel("settings", str(problem)) from problem
    if shape.N * (shape.experts or 1) > tensors or (shape.positions == "sinusoids" and shape.max_len > POSITIONS):
        raise NotAModel("settings", "the file's shape has more layers, experts or positions than its model")
    return shape
