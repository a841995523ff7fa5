"""A trained model in one small file: settings, step and weights; the position code is computed, not stored.

The settings name the task. Where it has words of its own, the file lists them: a model reads no others.

A file may come from anywhere. Nothing of it is trusted until it has been compared with a model freshly built from its
settings, so that a wrong or hostile file costs a sentence, not the memory of the server.
"""

import io
import zipfile
from pathlib import Path
from reprlib import repr as shorten  # of something nested it follows a few levels only
from typing import Any, NamedTuple

import torch
from torch import Tensor

from transformer_core.model import EncoderDecoder
from transformer_core.training.config import TrainConfig
from transformer_core.training.models import fresh_model

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
    """Read a file, or its content. ValueError in words if it is not what `save` writes."""
    content = source if isinstance(source, bytes) else Path(source).read_bytes()
    parts = _unpack(content)
    config = _config(parts["config"])
    step = parts["step"]
    if type(step) is not int or not 0 <= step <= config.steps:
        raise ValueError(f"the file claims step {shorten(step):.40} of a run of {config.steps} steps")
    if parts.get("words", "") != ("" if config.words is None else _words(config)):
        raise ValueError(f"the file's words are not those of the task {config.task}")
    model = fresh_model(config).eval()
    _copy(parts["weights"], model)
    return Checkpoint(model, config, step)


def _unpack(content: bytes) -> dict[str, Any]:
    """The parts of the file. Archives that would grow when unpacked are not opened."""
    if len(content) > LARGEST:
        raise ValueError(f"the file has {len(content) / 2**20:.0f} MB; at most {LARGEST / 2**20:.0f} MB are read")
    try:
        parts = torch.load(_verified(content), map_location="cpu", weights_only=True)
    except Exception as problem:  # zipfile and torch raise many kinds, all meaning the same here
        raise ValueError("the file is damaged, or it is not a saved model") from problem
    if not isinstance(parts, dict) or set(parts) - {"words"} != PARTS or type(parts.get("words", "")) is not str:
        raise ValueError("the file is no model saved by this program: it lacks settings, step or weights")
    if type(parts["format"]) is not int or parts["format"] != FORMAT:
        raise ValueError(f"the file has format {shorten(parts['format']):.40}; this program reads format {FORMAT}")
    return parts


def _verified(content: bytes) -> io.BytesIO:
    """The archive anew, with nothing in it but what its checksums cover: torch would not compare them."""
    verified = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as archive, zipfile.ZipFile(verified, "w") as copied:
        entries = archive.infolist()
        if any(entry.compress_type != zipfile.ZIP_STORED for entry in entries):
            raise zipfile.BadZipFile("compressed")
        if sum(entry.file_size for entry in entries) > len(content) or len(set(archive.namelist())) < len(entries):
            raise zipfile.BadZipFile("entries lie over one another")
        for name in archive.namelist():
            copied.writestr(name, archive.read(name))
    verified.seek(0)
    return verified


def _config(settings: object) -> TrainConfig:
    """The settings of the run: plain words and numbers, for anything else might be too large even to be printed."""
    if isinstance(settings, dict):
        plain = all(isinstance(value, str | int | float | None) for value in settings.values())
        if not plain or not all(isinstance(name, str) for name in settings):
            raise ValueError("the file's settings are not words and numbers")
    return TrainConfig.from_dict(settings)


def _words(config: TrainConfig) -> str:
    """The names of the tokens of both sides, in their order."""
    return "\n".join(" ".join(vocabulary.names) for vocabulary in config.vocabularies)


def _copy(weights: object, model: EncoderDecoder) -> None:
    """Check every tensor against the model's before the first is copied: a small file may claim a huge tensor."""
    wanted = dict(model.named_parameters())
    if not isinstance(weights, dict):
        raise ValueError(f"the weights do not belong to a model of these settings: {type(weights).__name__}")
    if set(weights) != set(wanted):
        names = {name if isinstance(name, str) else type(name).__name__ for name in weights} ^ set(wanted)
        raise ValueError(f"the weights do not belong to a model of these settings: {', '.join(sorted(names)[:3])}")
    for name, parameter in wanted.items():
        weight = weights[name]
        plain = isinstance(weight, Tensor) and not weight.is_nested and weight.layout == torch.strided
        if not plain or weight.dtype != parameter.dtype:
            raise ValueError(f"{name} is not a tensor of {parameter.dtype}")
        if weight.shape != parameter.shape:
            raise ValueError(f"{name} has shape {tuple(weight.shape)} instead of {tuple(parameter.shape)}")
        if weight.is_meta:
            raise ValueError(f"{name} has a shape, but no values")
        if not weight.isfinite().all():
            raise ValueError(f"{name} holds values that are not numbers")
    with torch.no_grad():
        for name, parameter in wanted.items():
            parameter.copy_(weights[name])
