"""A trained model in one small file: settings, step and weights; the position code is computed, not stored.

The settings name the task. Where it has words of its own, the file lists them: a model reads no others.

A file may come from anywhere. Nothing of it is trusted until it has been compared with the shapes of a model of its
settings, so that a wrong or hostile file costs a sentence, not the memory of the server.
"""

import io
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from reprlib import repr as shorten  # of something nested it follows a few levels only
from typing import Any, NamedTuple

import torch
from torch import Tensor

from transformer_core.model import EncoderDecoder
from transformer_core.training.archive import NotAModel, unpacked
from transformer_core.training.config import ConfigError, TrainConfig
from transformer_core.training.models import shapes, structure, unfilled

FORMAT = 1
PARTS = {"format", "config", "step", "weights"}
LARGEST = 200 * 2**20  # bytes; the largest model that can be trained here needs 180 MB


class Checkpoint(NamedTuple):
    model: EncoderDecoder  # in evaluation mode
    config: TrainConfig
    step: int


def save(path: str | Path, model: EncoderDecoder, config: TrainConfig, step: int) -> None:
    """Write the model as it is after `step` steps of the run `config`."""
    Path(path).write_bytes(to_bytes(model, config, step))


def to_bytes(model: EncoderDecoder, config: TrainConfig, step: int) -> bytes:
    """The content of the file, for a download."""
    weights = {name: weight.detach().clone() for name, weight in model.named_parameters()}
    buffer = io.BytesIO()
    parts = {"format": FORMAT, "config": config.to_dict(), "step": step, "weights": weights}
    torch.save(parts if config.words is None else parts | {"words": _words(config)}, buffer)
    return buffer.getvalue()


def load(source: str | Path | bytes) -> Checkpoint:
    """Read a file, or its content. NotAModel, a ValueError in words, if it is not what `save` writes."""
    return checkpoint_of(unpacked(content_of(source, LARGEST)), LARGEST)


def content_of(source: str | Path | bytes, most: int) -> bytes:
    """NotAModel if there are more bytes than are read."""
    content = source if isinstance(source, bytes) else Path(source).read_bytes()
    check_size(len(content), most)
    return content


def check_size(size: int, most: int) -> None:
    """NotAModel if that many bytes are too many."""
    if size > most:
        found, limit = f"{size / 2**20:.0f}", f"{most / 2**20:.0f}"
        raise NotAModel("large", f"the file has {found} MB; at most {limit} MB are read", size=found, most=limit)


def checkpoint_of(parts: Any, most: int) -> Checkpoint:
    """The model in what a file holds, of `most` bytes. NotAModel if that is not what `save` writes."""
    if not isinstance(parts, dict) or set(parts) - {"words"} != PARTS or type(parts.get("words", "")) is not str:
        raise NotAModel("parts", "the file is no model saved by this program: it lacks settings, step or weights")
    if type(parts["format"]) is not int or parts["format"] != FORMAT:
        found = f"{shorten(parts['format']):.40}"
        raise NotAModel("format", f"the file has format {found}; this program reads format {FORMAT}", found=found)
    config = _config(parts["config"])
    step = parts["step"]
    if type(step) is not int or not 0 <= step <= config.steps:
        found = f"{shorten(step):.40}"
        message = f"the file claims step {found} of a run of {config.steps} steps"
        raise NotAModel("step", message, step=found, steps=config.steps)
    if parts.get("words", "") != ("" if config.words is None else _words(config)):
        raise NotAModel("words", f"the file's words are not those of the task {config.task}")
    return Checkpoint(filled(partial(structure, config), parts["weights"], most), config, step)


def _config(settings: object) -> TrainConfig:
    """The settings of the run: plain words and numbers, for anything else might be too large even to be printed."""
    if isinstance(settings, dict):
        plain = all(isinstance(value, str | int | float | None) for value in settings.values())
        if not plain or not all(isinstance(name, str) for name in settings):
            raise NotAModel("settings", "the file's settings are not words and numbers")
    try:
        return TrainConfig.from_dict(settings)
    except ConfigError as problem:
        raise NotAModel("settings", str(problem)) from problem


def _words(config: TrainConfig) -> str:
    """The names of the tokens of both sides, in their order."""
    return "\n".join(" ".join(vocabulary.names) for vocabulary in config.vocabularies)


def filled(
    build: Callable[[], EncoderDecoder], weights: object, most: int, kinds: tuple[torch.dtype, ...] = (torch.float32,)
) -> EncoderDecoder:
    """The model that `build` makes, with these weights, in evaluation mode.

    NotAModel if they are not its weights, of one of these `kinds`, or take more than `most` bytes. That is known before
    the model is built, and before a number is read: a small file may claim a huge tensor.
    """
    wanted = shapes(build)
    checked = _checked(weights, wanted, kinds)
    check_size(sum(parameter.nbytes for parameter in wanted.values()), most)
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
