"""What the server keeps: the boot, and the model at hand."""

import gc
import json
from dataclasses import dataclass, replace
from pathlib import Path

import streamlit as st
import torch
from torch import Tensor

from transformer_core import PAD, EncoderDecoder, Trace, make_model, padding_mask, record, target_mask
from transformer_core.checkpoint import load
from transformer_core.train_config import ConfigError, TrainConfig
from ui.runs import Refused, Runs
from ui.settings.frame import LATEST, Frame

SHIPPED = Path(__file__).parent.parent / "assets" / "model" / "copy.pt"
RUN_PATIENCE = 4.0  # seconds a page waits for a run that a link names, before it shows the shipped model
LONGEST = 40  # tokens a reader may type: a figure of 40 × 40 can still be read


@st.cache_resource(show_spinner=False)
def boot() -> None:
    """Once per process: import what is slow, then freeze, so that no garbage collection walks through PyTorch.

    Streamlit collects after every run; over PyTorch's 370,000 objects that would stall every reader.
    """
    torch.set_num_threads(1)
    torch.optim.AdamW([torch.zeros(1, requires_grad=True)])
    import plotly.graph_objects as go

    go.Figure(go.Heatmap(z=[[1]])).to_json()
    _shipped()
    gc.collect()
    gc.freeze()


@dataclass(frozen=True)
class ModelAtHand:
    """A model in evaluation mode and where it comes from. Shared by all readers: never changed, only recorded."""

    kind: str  # trained, fresh, notes, run
    model: EncoderDecoder
    config: TrainConfig
    step: int  # updates it has seen
    seed: int
    awaited: bool = False  # it stands in for a run that is still being trained

    def provenance(self, tensor: str, *shape: int, head: int | None = None) -> str:
        """The line under a figure: `decoder.layers.0.src_attn.weights · head 2 · 10 × 10 · step 145 · seed 0`."""
        parts = [tensor, None if head is None else f"head {head}", " × ".join(map(str, shape))]
        return " · ".join([*filter(None, parts), f"step {self.step}", f"seed {self.seed}"])


@st.cache_resource(show_spinner=False)
def _shipped() -> ModelAtHand:
    checkpoint = load(SHIPPED)
    return ModelAtHand("trained", checkpoint.model.eval(), checkpoint.config, checkpoint.step, checkpoint.config.seed)


@st.cache_resource(show_spinner=False, max_entries=8)
def _untrained(kind: str, seed: int) -> ModelAtHand:
    config = TrainConfig.notes() if kind == "notes" else _shipped().config
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        model = make_model(config.vocab, config.vocab, config.N, config.d_model, config.d_ff, config.h, config.dropout)
    return ModelAtHand(kind, model.eval(), config, 0, seed)


@st.cache_resource(show_spinner=False)
def runs() -> Runs:
    """The training runs of all readers of this server."""
    return Runs()


def model_at_hand(frame: Frame, seconds: float | None = None) -> ModelAtHand:
    """The model that the frame names: the shipped one, an untrained one, or a moment of a run.

    A moment that nobody has trained here is trained now. Where that cannot be, or takes longer than `seconds` (by
    default RUN_PATIENCE), it is the shipped model instead; its `kind` and `awaited` tell.
    """
    if frame.model in ("fresh", "notes"):
        return _untrained(frame.model, frame.fresh)
    if frame.model == "run":
        try:
            config = config_of(frame.run)
            step = config.steps if frame.step == LATEST else min(frame.step, config.steps)
            model = runs().model(config, step, RUN_PATIENCE if seconds is None else seconds)
        except (ConfigError, Refused):
            return _shipped()
        if model is None:
            return replace(_shipped(), awaited=True)
        return ModelAtHand("run", model, config, step, config.seed)
    return _shipped()


def run_text(config: TrainConfig) -> str:
    """How a link names a run: its seed and the settings that differ from the default's, `d_model:128,h:8,seed:0`."""
    default = TrainConfig().to_dict() | {"seed": None}
    return ",".join(f"{name}:{json.dumps(value)}" for name, value in config.to_dict().items() if value != default[name])


def config_of(text: str) -> TrainConfig:
    """The run that `run_text` named. ConfigError, a ValueError, if it cannot be trained or names no run."""
    pairs = [pair.partition(":") for pair in text.split(",") if pair]
    try:
        changes = {name: json.loads(value) for name, _, value in pairs}
    except ValueError:
        raise ConfigError("unknown", f"not the settings of a run: {text:.80}") from None
    return TrainConfig.from_dict(TrainConfig().to_dict() | {"d_ff": 0} | changes)


def forward(model: EncoderDecoder, src: tuple[int, ...], tgt: tuple[int, ...]) -> tuple[Tensor, Trace]:
    """Log-probabilities (1, len(tgt), vocab) for the decoder input `tgt`, and every value on the way there."""
    sources, targets = torch.tensor([src]), torch.tensor([tgt])
    with torch.no_grad(), record(model) as trace:
        out = model(sources, targets, padding_mask(sources, PAD), target_mask(targets, PAD))
        log_probs = model.generator(out)
    return log_probs, trace
