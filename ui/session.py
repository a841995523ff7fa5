"""The boot of the server, and the model at hand."""

import gc
import json
import threading
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import streamlit as st
import torch
from torch import Tensor

from transformer_core import PAD, EncoderDecoder, Trace, padding_mask, record, target_mask
from transformer_core.training.checkpoint import Checkpoint, load
from transformer_core.training.config import ConfigError, TrainConfig
from ui.server.memory import return_what_is_freed
from ui.server.places import Refused
from ui.server.runs import all_runs
from ui.settings.frame import LATEST, Frame

SHIPPED = Path(__file__).parent.parent / "assets" / "model" / "copy.pt"
RUN_PATIENCE = 4.0  # seconds a page waits for a run that a link names, before it shows the shipped model
LONGEST = 40  # tokens a reader may type: a figure of 40 × 40 can still be read


_booting = threading.Lock()


def boot() -> None:
    """Once per process: import what is slow, then freeze, so that no garbage collection walks through PyTorch.

    OSError or ValueError, each time, if the shipped model is missing or damaged.
    """
    with _booting:
        _boot()


@cache
def _boot() -> None:
    torch.set_num_threads(1)
    return_what_is_freed()
    import plotly.graph_objects as go

    go.Figure(go.Heatmap(z=[[1]])).to_json()
    shipped()
    gc.collect()
    gc.freeze()


@dataclass(frozen=True)
class ModelAtHand:
    """Which model the chapters show, and where it comes from. It holds no weights: pages outlive their readers."""

    kind: str  # trained, fresh, notes, run
    config: TrainConfig
    step: int  # updates it has seen
    seed: int
    awaited: bool = False  # it stands in for a run that is still being trained
    trouble: str = ""  # why it stands in for a run that cannot be had: the key of a sentence

    @property
    def model(self) -> EncoderDecoder:
        """In evaluation mode. Shared by all readers: never changed, only recorded. Untrained, it is step 0 of a run."""
        if self.kind == "trained":
            return shipped().model
        try:
            model = all_runs.model(self.config, self.step, RUN_PATIENCE)
        except Refused:
            model = None
        if model is None:  # it has had to make room for others: the page begins again, and says so
            st.rerun()
        return model

    def provenance(self, tensor: str, *shape: int, head: int | None = None) -> str:
        """The line under a figure: `decoder.layers.0.src_attn.weights · head 2 · 10 × 10 · step 145 · seed 0`."""
        parts = [tensor, None if head is None else f"head {head}", " × ".join(map(str, shape))]
        return " · ".join([*filter(None, parts), f"step {self.step}", f"seed {self.seed}"])


@cache
def shipped() -> Checkpoint:
    """The model in the repository. OSError or ValueError if it is missing or damaged."""
    return load(SHIPPED)


def model_at_hand(frame: Frame, seconds: float | None = None) -> ModelAtHand:
    """The model that the frame names: the shipped one, an untrained one, or a moment of a run.

    A moment that nobody has trained here is trained now. Where that cannot be, or takes longer than `seconds` (by
    default RUN_PATIENCE), it is the shipped model instead; `awaited` and `trouble` tell.
    """
    instead = ModelAtHand("trained", shipped().config, shipped().step, shipped().config.seed)
    if frame.model in ("fresh", "notes"):
        config = TrainConfig.notes() if frame.model == "notes" else shipped().config
        return ModelAtHand(frame.model, replace(config, seed=frame.fresh), 0, frame.fresh)
    if frame.model == "run":
        try:
            config = config_of(frame.run)
            if config.architecture != "transformer":  # the chapters would look in it for attention
                return replace(instead, trouble="config")
            step = config.steps if frame.step == LATEST else min(frame.step, config.steps)
            model = all_runs.model(config, step, RUN_PATIENCE if seconds is None else seconds)
        except ConfigError:
            return replace(instead, trouble="config")
        except Refused as refused:
            return replace(instead, awaited=refused.passing, trouble=refused.reason)
        return replace(instead, awaited=True) if model is None else ModelAtHand("run", config, step, config.seed)
    return instead


def run_text(config: TrainConfig) -> str:
    """How a link names a run: its seed and the settings that differ from the default's, `d_model:128,h:8,seed:0`.

    A width of the feed-forward layers that is not the usual one for d_model is always said: unsaid, it means that one.
    """
    default = TrainConfig().to_dict() | {"seed": None}
    if config.d_ff != 4 * config.d_model:
        default["d_ff"] = None
    return ",".join(f"{name}:{json.dumps(value)}" for name, value in config.to_dict().items() if value != default[name])


def config_of(text: str) -> TrainConfig:
    """The run that `run_text` named. ConfigError, a ValueError, if it cannot be trained or names no run.

    Only the copy task makes a model that the chapters can show: all they read are sequences to copy.
    """
    pairs = [pair.partition(":") for pair in text.split(",") if pair]
    try:
        changes = {name: json.loads(value) for name, _, value in pairs}
    except ValueError:
        raise ConfigError("unknown", f"not the settings of a run: {text:.80}") from None
    config = TrainConfig.from_dict(TrainConfig().to_dict() | {"d_ff": 0} | changes)
    if config.task != "copy":
        raise ConfigError("choice", f"not a run of the copy task: {text:.80}", name="task", choices=("copy",))
    return config


def forward(model: EncoderDecoder, src: tuple[int, ...], tgt: tuple[int, ...]) -> tuple[Tensor, Trace]:
    """Log-probabilities (1, len(tgt), vocab) for the decoder input `tgt`, and every value on the way there."""
    sources, targets = torch.tensor([src]), torch.tensor([tgt])
    with torch.inference_mode(), record(model) as trace:
        out = model(sources, targets, padding_mask(sources, PAD), target_mask(targets, PAD))
        log_probs = model.generator(out)
    return log_probs, trace
