"""A trained model in one small file: settings, step, history and weights; the position code is computed, not stored.

The file is a safetensors file, format 3; of a run that was stopped and can go on, which has the optimiser's state too,
format 4. The settings name the task, and have the pairs that somebody has brought along. Where it has words of its own,
the file lists them: a model reads no others. Format 2, which has no records of
what the run was watched by, is read as well, and format 1, which `torch.save` wrote and which has no history at all.

A file may come from anywhere. Nothing of it is trusted until it has been compared with the shapes of a model of its
settings, so that a wrong or hostile file costs a sentence, not the memory of the server.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from reprlib import repr as shorten  # of something nested it follows a few levels only
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from transformer_core.model import EncoderDecoder
from transformer_core.training.config import ConfigError, TrainConfig
from transformer_core.training.models import M, shapes, structure, unfilled
from transformer_core.training.not_a_model import NotAModel
from transformer_core.training.records import RECORD, records_in
from transformer_core.training.tensor_file import held, packed

FORMAT, STOPPED, FORMATS = 3, 4, (1, 2, 3, 4)  # those that are written, of a model and of a stopped run; that are read
STATE = "state."  # begins the names of a stopped run's tensors, which no parameter's does
PARTS = {"format", "config", "step", "weights"}
FURTHER = {"words", "history"}  # parts that not every model has
LARGEST = 2 * 2**30  # bytes of a file, and of a model: eight times the paper's larger one
MOST_TOLD = 3e38  # of a number in a history: a float32 holds it
_NEITHER = (
    "the file is no model saved by this program, for it lacks settings, step or weights, and no state dict, for it "
    "has no tensors by their names"
)

Columns = Mapping[str, Sequence[float | None]]  # what a run reported, under its names: a number for each report
Records = Mapping[str, np.ndarray]  # what it was watched by, under its names: a row for each record


class Checkpoint(NamedTuple):
    model: EncoderDecoder  # in evaluation mode
    config: TrainConfig
    step: int
    history: Columns  # up to that step; empty if the file does not tell
    records: Records  # up to that step, as `History.records` has them; empty if the file does not tell


def save(
    path: str | Path,
    model: EncoderDecoder,
    config: TrainConfig,
    step: int,
    history: Columns | None = None,
    records: Records | None = None,
    state: Mapping[str, Tensor] | None = None,
) -> None:
    """Write the model as it is after `step` steps of the run `config`, and what the run has reported until then.

    With the `state` that `resume.state_of` gives it can go on from there.
    """
    Path(path).write_bytes(to_bytes(model, config, step, history, records, state))


def to_bytes(
    model: EncoderDecoder,
    config: TrainConfig,
    step: int,
    history: Columns | None = None,
    records: Records | None = None,
    state: Mapping[str, Tensor] | None = None,
) -> bytes:
    """The content of the file, for a download."""
    # One matrix of settings that say so is written once; one that is shared besides, under every name.
    named = model.named_parameters(remove_duplicate=config.tied)
    tensors = {name: weight.detach().cpu().clone() for name, weight in named}
    tensors |= {RECORD + name: torch.from_numpy(np.ascontiguousarray(rows)) for name, rows in (records or {}).items()}
    tensors |= {STATE + name: values.detach().cpu() for name, values in (state or {}).items()}
    parts = {"format": STOPPED if state else FORMAT, "config": config.to_dict(), "step": step}
    if config.words is not None:
        parts["words"] = _words(config)
    if history:
        parts["history"] = dict(history)
    return packed(tensors, parts)


def load(source: str | Path | bytes) -> Checkpoint:
    """Read a file, or its content. NotAModel, a ValueError in words, if it is not what `save` writes."""
    return checkpoint_of(held(content_of(source, LARGEST)), LARGEST)


def content_of(source: str | Path | bytes, most: int) -> bytes:
    """NotAModel if there are more bytes than are read."""
    content = source if isinstance(source, bytes) else Path(source).read_bytes()
    check_size(len(content), most)
    return content


def check_size(size: int, most: int, held: str = "the file has") -> None:
    """NotAModel if that many bytes are too many."""
    if size > most:
        found, limit = megabytes(size, most), f"{most / 2**20:.0f}"
        raise NotAModel("large", f"{held} {found} MB; at most {limit} MB are read", size=found, most=limit)


def megabytes(size: int, most: int) -> str:
    """A size beyond a limit, with as many decimals as show that it is: 8 MB and a byte are 8.000001."""
    return next(text for digits in range(7) if float(text := f"{size / 2**20:.{digits}f}") > most / 2**20)


def checkpoint_of(parts: Any, most: int, check: Callable[[TrainConfig], None] | None = None) -> Checkpoint:
    """The model in what a file holds, of `most` bytes. NotAModel if that is not what `save` writes, or if `check`
    raises a ConfigError for its settings."""
    if not isinstance(parts, dict) or set(parts) - FURTHER != PARTS or type(parts.get("words", "")) is not str:
        raise NotAModel("parts", _NEITHER)
    if type(parts["format"]) is not int or parts["format"] not in FORMATS:
        found = f"{shorten(parts['format']):.40}"
        raise NotAModel("format", f"the file has format {found}; this program reads up to {max(FORMATS)}", found=found)
    config = _config(parts["config"], check)
    step = parts["step"]
    if type(step) is not int or not 0 <= step <= config.steps:
        found = f"{shorten(step):.40}"
        message = f"the file claims step {found} of a run of {config.steps} steps"
        raise NotAModel("step", message, step=found, steps=config.steps)
    if parts.get("words", "") != ("" if config.words is None else _words(config)):
        raise NotAModel("words", f"the file's words are not those of the task {config.task}")
    history = _history(parts.get("history", {}), step)
    weights, records = parts["weights"], {}
    if isinstance(weights, dict) and len(weights) < config.N:  # known before a layer is outlined
        last = f"decoder.layers.{config.N - 1}"
        message = f"the weights do not belong to a model of these settings: {last} (missing)"
        raise NotAModel("missing", message, names=last)
    check_size(4 * config.parameters, most, "the model of the file's settings has")
    if parts["format"] > 2 and isinstance(weights, dict):
        records = records_in({name: rows for name, rows in weights.items() if name.startswith(RECORD)}, config, step)
        weights = {name: weight for name, weight in weights.items() if not name.startswith((RECORD, STATE))}
    return Checkpoint(filled(partial(structure, config), weights, most), config, step, history, records)


def _history(columns: Any, step: int) -> Columns:
    """Columns of numbers that a float32 holds, None where nothing was measured, all of a length. NotAModel if they are
    not."""
    listed: list[Any] = list(columns.values()) if isinstance(columns, dict) else [None]
    even = all(isinstance(column, list) and len(column) == len(listed[0]) <= step + 1 for column in listed)
    if not even or not all(_is_number(value) for column in listed for value in column):
        raise NotAModel("history", f"the file's history is not the numbers of a run of {step} steps", step=step)
    return columns


def _is_number(value: Any) -> bool:
    return value is None or (type(value) in (int, float) and bool(abs(value) <= MOST_TOLD))


def _config(settings: object, check: Callable[[TrainConfig], None] | None) -> TrainConfig:
    """The settings of the run: plain words and numbers, for anything else might be too large even to be printed."""
    if isinstance(settings, dict):
        plain = all(isinstance(value, str | int | float | None) for value in settings.values())
        if not plain or not all(isinstance(name, str) for name in settings):
            raise NotAModel("settings", "the file's settings are not words and numbers")
    try:
        config = TrainConfig.from_dict(settings)
        if check is not None:
            check(config)
        return config
    except ConfigError as problem:
        raise NotAModel("settings", str(problem)) from problem


def _words(config: TrainConfig) -> str:
    """The names of the tokens of both sides, in their order."""
    return "\n".join(" ".join(vocabulary.names) for vocabulary in config.vocabularies)


def filled(build: Callable[[], M], weights: object, most: int, kinds: tuple[torch.dtype, ...] = (torch.float32,)) -> M:
    """The model that `build` makes, with these weights, in evaluation mode.

    NotAModel if they are not its weights, of one of these `kinds`, or take more than `most` bytes. That is known before
    the model is built, and before a number is read: a small file may claim a huge tensor.
    """
    wanted = shapes(build)
    checked = _checked(weights, wanted, kinds)
    check_size(sum(parameter.nbytes for parameter in wanted.values()), most, "the model has")
    model = unfilled(build).eval()
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            parameter.copy_(checked[name])
            if not parameter.isfinite().all():
                raise NotAModel("values", f"{name} holds values that are not numbers", name=name)
    return model


def _checked(weights: object, wanted: Mapping[str, Tensor], kinds: tuple[torch.dtype, ...]) -> dict[str, Tensor]:
    if not isinstance(weights, dict):
        message = f"the weights do not belong to a model of these settings: {type(weights).__name__}"
        raise NotAModel("parts", message)
    given = {name if isinstance(name, str) else type(name).__name__ for name in weights}
    for reason, names in {"missing": set(wanted) - given, "extra": given - set(wanted)}.items():
        if names:
            listed = ", ".join(f"{name:.80}" for name in sorted(names)[:3])
            message = f"the weights do not belong to a model of these settings: {listed} ({reason})"
            raise NotAModel(reason, message, names=listed)
    for name, parameter in wanted.items():
        weight, fitting = weights[name], tuple(parameter.shape)
        if not isinstance(weight, Tensor) or weight.dtype not in kinds:
            raise NotAModel("tensor", f"{name} is not a tensor of {kinds[0]}", name=name)
        if weight.shape != fitting:
            shape = tuple(weight.shape)
            message = f"{name} has shape {shape} instead of {fitting}"
            raise NotAModel("shape", message, name=name, shape=f"{shape!s:.60}", wanted=fitting)
        if weight.is_meta:
            raise NotAModel("empty", f"{name} has a shape, but no values", name=name)
    return weights
