"""The boot of the server, and the model at hand."""

import gc
import json
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

import streamlit as st
import torch
from torch import Tensor

from transformer_core import PAD, EncoderDecoder, Trace, padding_mask, record, target_mask
from transformer_core.tasks import Vocabulary, WordTask
from transformer_core.training.checkpoint import Checkpoint, load
from transformer_core.training.config import ConfigError, TrainConfig
from transformer_core.verify.broken import BROKEN, Break, broken
from ui.server.memory import return_what_is_freed
from ui.server.outlook import Outlook
from ui.server.places import Refused
from ui.server.runs import all_runs
from ui.server.seat import seat
from ui.server.uploads import SHOWN, Upload
from ui.settings.frame import END, LATEST, Frame

SHIPPED = Path(__file__).parent.parent / "assets" / "model"
FILES = {"trained": "copy.pt", "translate": "translate.pt"}
RUN_PATIENCE = 4.0  # seconds a page waits for a run that a link names, before it shows the shipped model


_booting = threading.Lock()


def boot() -> None:
    """Once per process: import what is slow, then freeze, so that no garbage collection walks through PyTorch.

    OSError or ValueError, each time, if a shipped model is missing or damaged.
    """
    with _booting:
        _boot()


@cache
def _boot() -> None:
    torch.set_num_threads(1)
    return_what_is_freed()
    import plotly.graph_objects as go

    go.Figure(go.Heatmap(z=[[1]])).to_json()
    for kind in FILES:
        shipped(kind)
    gc.collect()
    gc.freeze()


@dataclass(frozen=True)
class ModelAtHand:
    """Which model the chapters show, and where it comes from. It holds no weights: pages outlive their readers."""

    kind: str  # trained, translate, fresh, fresh_translate, notes, run, own
    config: TrainConfig
    step: int | None  # updates it has seen; of a model that was trained elsewhere nobody knows that
    seed: int
    own: Upload | None = None  # the reader's file that it comes from
    awaited: bool = False  # it stands in for a run that is still being trained
    trouble: str = ""  # why it stands in for a run that cannot be had: the key of a sentence
    how: Break = "none"  # what is broken in it
    outlook: Outlook | None = field(default=None, compare=False)  # how long the run that is awaited takes

    @property
    def model(self) -> EncoderDecoder:
        """In evaluation mode. Shared by all readers: never changed, only recorded. Untrained, it is step 0 of a run.

        A broken one is a copy, made for whoever asks, which shares the weights.
        """
        return broken(self.whole, self.how)

    @property
    def whole(self) -> EncoderDecoder:
        """The model with nothing broken in it."""
        if self.kind in FILES:
            return shipped(self.kind).model
        try:
            model = self.own.model if self.own else all_runs.model(self.config, self.step or 0, RUN_PATIENCE)
        except Refused:
            model = None
        if model is None:  # it has had to make room for others: the page begins again, and says so
            st.rerun()
        return model

    @property
    def source(self) -> Vocabulary:
        return self.config.vocabularies[0]

    @property
    def target(self) -> Vocabulary:
        return self.config.vocabularies[1]

    @property
    def words(self) -> WordTask | None:
        """The task, if it has words of its own; None for rows of numbers."""
        return self.config.words

    def most(self, src: Sequence[int]) -> int:
        """Tokens that an output is given room for, the start symbol included; with an end symbol it may be shorter."""
        return len(src) if self.words is None else self.words.longest[1]

    def provenance(self, tensor: str, *shape: int, head: int | None = None) -> str:
        """The line under a figure: `decoder.layers.0.src_attn.weights · head 2 · 10 × 10 · step 145 · seed 0`."""
        parts = [tensor, None if head is None else f"head {head}", " × ".join(map(str, shape))]
        parts += [self.own.file] if self.own else []
        parts += [] if self.step is None else [f"step {self.step}", f"seed {self.seed}"]
        return " · ".join(filter(None, parts))


@cache
def shipped(kind: str = "trained") -> Checkpoint:
    """A model in the repository. OSError or ValueError if it is missing or damaged."""
    return load(SHIPPED / FILES[kind])


def model_at_hand(frame: Frame, seconds: float | None = None) -> ModelAtHand:
    """The model that the frame names: the shipped one, an untrained one, or a moment of a run.

    A moment that nobody has trained here is trained now. Where that cannot be, or takes longer than `seconds` (by
    default RUN_PATIENCE), it is the shipped model instead; `awaited` and `trouble` tell.
    """
    if frame.model in FILES:
        return _shipped(frame.model)
    if frame.model == "own":
        return _own()
    if frame.model != "run":
        kind = "translate" if frame.model == "fresh_translate" else "trained"
        # Untrained, the notes' model is the same at any rate; a later step of it is what links have always meant by it.
        config = TrainConfig.notes(rate="quick") if frame.model == "notes" else shipped(kind).config
        return ModelAtHand(frame.model, replace(config, seed=frame.fresh), 0, frame.fresh)
    return _of_run(frame.run, END if frame.step == LATEST else frame.step, seconds)


def compared(frame: Frame, at_hand: ModelAtHand, seconds: float | None = None) -> ModelAtHand | None:
    """What the frame compares the model at hand with: itself before training, at another step or broken, a shipped
    model, or another run. None for nothing; where it cannot be had yet, or at all, `awaited` and `trouble` tell."""
    if frame.compare in FILES:
        return _shipped(frame.compare)
    if frame.compare in BROKEN:
        return replace(at_hand, how=frame.compare, awaited=False, trouble="")
    if frame.compare in ("untrained", "step") and at_hand.step is None:
        return replace(_shipped("trained"), trouble="elsewhere")
    match frame.compare:
        case "untrained":
            return ModelAtHand("run", at_hand.config, 0, at_hand.config.seed)
        case "step":
            step = min(frame.other_step, at_hand.config.steps)
            return at_hand if step == at_hand.step else _moment(at_hand.config, step, seconds)
        case "run":
            return _of_run(frame.other, frame.other_step, seconds)
    return None


def _of_run(text: str, step: int, seconds: float | None) -> ModelAtHand:
    """A moment of the run that `text` names, beyond its last step that one; or a shipped model instead."""
    try:
        config = config_of(text)
    except ConfigError:
        return replace(_shipped("trained"), trouble="config")
    if config.architecture != "transformer":  # the chapters would look in it for attention
        return replace(_shipped("trained"), trouble="config")
    return _moment(config, min(step, config.steps), seconds)


def _moment(config: TrainConfig, step: int, seconds: float | None) -> ModelAtHand:
    instead = _shipped("trained" if config.words is None else "translate")
    try:
        model = all_runs.model(config, step, RUN_PATIENCE if seconds is None else seconds)
    except Refused as refused:
        return replace(instead, awaited=refused.passing, trouble=refused.reason)
    outlook = all_runs.outlook_of(config, step)
    return (
        replace(instead, awaited=True, outlook=outlook)
        if model is None
        else ModelAtHand("run", config, step, config.seed)
    )


def _shipped(kind: str) -> ModelAtHand:
    checkpoint = shipped(kind)
    return ModelAtHand(kind, checkpoint.config, checkpoint.step, checkpoint.config.seed)


def _own() -> ModelAtHand:
    """The model of the reader's file: only the browser that has brought it knows it."""
    own = seat().upload
    if own is None:
        return replace(_shipped("trained"), trouble="not_here" if seat().own is None else "gave_way")
    return ModelAtHand("own", own.config, own.step, own.config.seed, own)


def run_text(config: TrainConfig) -> str:
    """How a link names a run: its seed and the settings that differ from the default's, `d_model:128,h:8,seed:0`.

    A width of the feed-forward layers that is not the usual one for d_model is always said: unsaid, it means that one.
    What follows from the task's words is not said.
    """
    default = TrainConfig().to_dict() | {"seed": None}
    if config.words is not None:
        default |= {name: getattr(config, name) for name in ("vocab", "length", "min_length")}
    if config.d_ff != 4 * config.d_model:
        default["d_ff"] = None
    return ",".join(f"{name}:{json.dumps(value)}" for name, value in config.to_dict().items() if value != default[name])


def config_of(text: str) -> TrainConfig:
    """The run that `run_text` named. ConfigError, a ValueError, if it cannot be trained or names no run.

    The vocabulary of the random answers is too long for the chapters' figures.
    """
    pairs = [pair.partition(":") for pair in text.split(",") if pair]
    try:
        changes = {name: json.loads(value) for name, _, value in pairs}
    except ValueError:
        raise ConfigError("unknown", f"not the settings of a run: {text:.80}") from None
    config = TrainConfig.from_dict(TrainConfig().to_dict() | {"d_ff": 0} | changes)
    if config.task not in SHOWN:
        raise ConfigError("choice", f"not a run that can be shown: {text:.80}", name="task", choices=SHOWN)
    return config


def forward(model: EncoderDecoder, src: tuple[int, ...], tgt: tuple[int, ...]) -> tuple[Tensor, Trace]:
    """Log-probabilities (1, len(tgt), vocab) for the decoder input `tgt`, and every value on the way there."""
    sources, targets = torch.tensor([src]), torch.tensor([tgt])
    with torch.inference_mode(), record(model) as trace:
        out = model(sources, targets, padding_mask(sources, PAD), target_mask(targets, PAD))
        log_probs = model.generator(out)
    return log_probs, trace
