"""What the server keeps: the boot, and the model at hand."""

import gc
from dataclasses import dataclass
from pathlib import Path

import streamlit as st
import torch
from torch import Tensor

from transformer_core import PAD, EncoderDecoder, Trace, make_model, padding_mask, record, target_mask
from transformer_core.checkpoint import load
from transformer_core.train_config import TrainConfig
from ui.settings.frame import Frame

SHIPPED = Path(__file__).parent.parent / "assets" / "model" / "copy.pt"
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


def model_at_hand(frame: Frame) -> ModelAtHand:
    """The model that the frame names: the shipped one, an untrained one, or a moment of a run."""
    if frame.model in ("fresh", "notes"):
        return _untrained(frame.model, frame.fresh)
    return _shipped()


def forward(model: EncoderDecoder, src: tuple[int, ...], tgt: tuple[int, ...]) -> tuple[Tensor, Trace]:
    """Log-probabilities (1, len(tgt), vocab) for the decoder input `tgt`, and every value on the way there."""
    sources, targets = torch.tensor([src]), torch.tensor([tgt])
    with torch.no_grad(), record(model) as trace:
        out = model(sources, targets, padding_mask(sources, PAD), target_mask(targets, PAD))
        log_probs = model.generator(out)
    return log_probs, trace
