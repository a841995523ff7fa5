"""Readers' own models, from files: each is known to the seats of one browser, and kept as long as there is room."""

import re
import threading
import uuid
from dataclasses import dataclass

from transformer_core import EncoderDecoder
from transformer_core.training.archive import NotAModel
from transformer_core.training.checkpoint import Checkpoint
from transformer_core.training.config import CHOICES, TrainConfig
from transformer_core.training.state_dict import Foreign, foreign_of, load_any
from ui.server.kept import kept
from ui.server.memory import MB

MOST = 8 * MB  # of a file, and of the weights in it: two million numbers
SHOWN = tuple(task for task in CHOICES["task"] if task != "random")  # whose words the chapters' figures have room for
LONGEST = 60  # letters of a file's name


@dataclass(frozen=True)
class Upload:
    """Where a model comes from. It holds no weights: pages outlive their readers."""

    id: str
    file: str  # its name, as far as it is plain
    config: TrainConfig
    step: int | None  # updates it has seen; None: nobody knows
    losses: tuple[float, float] | None = None  # before its first update and at its last, if the file tells

    @property
    def model(self) -> EncoderDecoder | None:
        """None if it had to make room for others'."""
        model: EncoderDecoder | None = kept.get(self)
        return model

    def forget(self) -> None:
        kept.drop(self)


_reading = threading.Lock()  # one file at a time: thirty readers must not fill the memory with what they bring


def take(file: str, content: bytes) -> Upload:
    """Keep the model in a file. NotAModel if there is none that the chapters can show."""
    with _reading:
        return _keep(re.sub(r"[^\w.-]", "_", file)[-LONGEST:], load_any(content, most=MOST))


def taken_anew(upload: Upload, h: int, norm_first: bool) -> Upload | None:
    """The same weights, otherwise understood, as another model; None if they are gone.

    NotAModel if they cannot be understood so.
    """
    model = upload.model
    if model is None:
        return None
    return _keep(upload.file, foreign_of(model.state_dict(), h, norm_first, MOST))


def _keep(file: str, found: Checkpoint | Foreign) -> Upload:
    config = found.config
    if config.architecture != "transformer" or config.task not in SHOWN:
        raise NotAModel("not_shown", "the chapters show Transformers, with few words")
    step, losses = None, None
    if isinstance(found, Checkpoint):
        step, told = found.step, [loss for loss in found.history.get("loss", ()) if loss is not None]
        losses = (told[0], told[-1]) if told else None
    upload = Upload(uuid.uuid4().hex, file, config, step, losses)
    kept.put(upload, found.model)
    return upload
