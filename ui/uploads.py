"""Readers' own models, from files: each is known to the sessions of one browser, and kept as long as there is room."""

import re
import threading
import uuid
from dataclasses import dataclass, field

import numpy as np
import torch

from transformer_core import EncoderDecoder, padding_mask, record, target_mask
from transformer_core.training.checkpoint import Checkpoint, Columns
from transformer_core.training.config import TrainConfig
from transformer_core.training.history import SAVED, History
from transformer_core.training.not_a_model import NotAModel
from transformer_core.training.settings import SETTINGS
from transformer_core.training.sharded import refuse_part
from transformer_core.training.state_dict import Imported, ModelConfig, imported_from, load_any
from ui.cache import cached
from ui.run_limits import check_drawn
from ui.training_service.memory_budget import MB

MOST = 8 * MB  # of a file, and of the weights in it: two million numbers
SHOWN = tuple(task for task in SETTINGS["task"].choices if task != "random")  # the figures have room for their words
LONGEST = 60  # letters of a file's name
ROW = 32  # words of a sequence by which a model is tried
TOLD = ("step", "loss", "rate", "exact_match")  # what is drawn of the training that a file tells of
TOO_LARGE = 1e18  # its square is near the largest float32; the values of a model that learns lie below a thousand


@dataclass(frozen=True)
class Upload:
    """Where a model comes from. It holds no weights: pages outlive their readers."""

    id: str
    file: str  # its name, as far as it is plain
    config: ModelConfig
    step: int | None  # updates it has seen; None: nobody knows
    told: np.ndarray | None = field(
        default=None, compare=False
    )  # (n, TOLD) float32, if the file tells; NaN: not measured

    @property
    def model(self) -> EncoderDecoder | None:
        """None if it had to make room for others'."""
        model: EncoderDecoder | None = cached.get(self)
        return model

    @property
    def history(self) -> History | None:
        """Of its run with all that was recorded, as far as it is one to be shown; None if it had to make room."""
        history: History | None = cached.get((self, "history"))
        return history

    def forget(self) -> None:
        cached.drop(self)
        cached.drop((self, "history"))


_reading = threading.Lock()  # one file at a time: thirty readers must not fill the memory with what they bring


def take(file: str, content: bytes) -> Upload:
    """Keep the model in a file. NotAModel if there is none that the chapters can show."""
    refuse_part(file)
    with _reading:
        return _keep(re.sub(r"[^\w.-]", "_", file)[-LONGEST:], load_any(content, most=MOST, check=check_drawn))


def taken_anew(upload: Upload, h: int, norm_first: bool) -> Upload | None:
    """The same weights, otherwise understood, as another model; None if they are gone.

    NotAModel if they cannot be understood so.
    """
    model = upload.model
    if model is None:
        return None
    return _keep(upload.file, imported_from(model.state_dict(), h, norm_first, MOST, check=check_drawn))


def _keep(file: str, found: Checkpoint | Imported) -> Upload:
    config = found.config
    if isinstance(config, TrainConfig) and (config.architecture != "transformer" or config.task not in SHOWN):
        raise NotAModel("not_shown", "the chapters show Transformers, with few words")
    _check_values(found.model, len(config.vocabularies[0]), len(config.vocabularies[1]))
    step, told = (found.step, _told(found.history, found.step)) if isinstance(found, Checkpoint) else (None, None)
    upload = Upload(uuid.uuid4().hex, file, config, step, told)
    cached.put(upload, found.model)
    if told is not None and isinstance(found, Checkpoint) and (history := _recorded(found)):
        cached.put((upload, "history"), history)
    return upload


def _told(history: Columns, last: int) -> np.ndarray | None:
    """The columns TOLD of a history, NaN where nothing was measured; None where they are not a run's up to `last`."""
    if not set(TOLD) <= history.keys() or not history["step"]:
        return None
    told = np.array([history[name] for name in TOLD], np.float32).T
    step, loss, rate, _ = told.T
    rises = step[0] >= 0 and (np.diff(step) > 0).all() and step[-1] <= last
    return told if rises and np.isfinite([step, loss, rate]).all() else None


def _recorded(found: Checkpoint) -> History | None:
    """The history with records of a file whose columns are a run's; None where something that is shown is missing."""
    if not found.records or not set(SAVED) <= found.history.keys():
        return None
    history = History.from_columns(found.history, found.records)
    finite = np.isfinite([history.gradient_norm, history.weight]).all()
    return history if finite and np.isin(history.probe_step, history.step).all() else None


def _check_values(model: EncoderDecoder, words: int, answers: int) -> None:
    """NotAModel if what the model computes of every word it knows has no finite value, or no finite square.

    No page could show that but as "nan": weights of 3e38 are numbers, and their sums are none.
    """
    for first in range(1, max(words, answers), ROW):
        row = torch.arange(first, first + ROW)[None]
        src, tgt = 1 + row % (words - 1), 1 + row % (answers - 1)
        with torch.inference_mode(), record(model) as trace:
            model.generator(model(src, tgt, padding_mask(src), target_mask(tgt)))
        for name, value in trace.items():
            if value.is_floating_point() and not (value.abs() < TOO_LARGE).all():
                raise NotAModel("overflow", f"{name} is beyond what float32 can hold, or no number", name=name)
