"""Every head of the model at hand: its weights or scores, and what they measure."""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from transformer_core import Trace, entropy
from transformer_core.experiments.head_measures import attention_distance, neighbour_weights
from transformer_core.training.state_dict import ModelConfig
from ui.chapters.shared.attention_values import MODULES, path, recording
from ui.figures import ProgramArgument
from ui.figures.wall import HeadName
from ui.inputs.sequence import TypedSequences
from ui.model import ModelAtHand
from ui.settings.shared import KINDS

MEASURES = ("previous", "same", "following", "entropy", "distance")


def measures(weights: Tensor) -> list[Tensor]:
    """Each of MEASURES, (…, T, S) -> (…, up to T): one number per query, of a neighbour for those that have it."""
    neighbours = [neighbour_weights(weights, offset) for offset in (-1, 0, 1)]
    return [*neighbours, entropy(weights), attention_distance(weights)]


def means(attentions: Sequence[Tensor]) -> Tensor:
    """Of the heads of each attention, (h, T, S), a row per head with the mean of each measure."""
    return torch.cat([torch.stack([of.mean(-1) for of in measures(weights)], dim=-1) for weights in attentions])


def every_head(config: ModelConfig) -> list[HeadName]:
    return [HeadName(kind, layer, head) for kind in KINDS for layer in range(config.N) for head in range(config.h)]


def values_of(trace: Trace, name: HeadName, tap: str) -> np.ndarray:
    """What was tapped of this head: (T, S) for its weights or scores."""
    return trace[f"{path(name.kind, name.layer)}.{tap}"][0, name.head].numpy()


def measured(trace: Trace, name: HeadName) -> dict[str, np.ndarray]:
    """Each measure of a head: one number per query; empty where no query has that neighbour."""
    weights = trace[f"{path(name.kind, name.layer)}.weights"][0, name.head]
    return {measure: of.numpy() for measure, of in zip(MEASURES, measures(weights))}


def mean(parts: np.ndarray) -> float:
    return float(parts.mean()) if parts.size else float("nan")


# What the programs of the figures of all heads begin with.


def of_every_attention(
    at_hand: ModelAtHand, sequences: TypedSequences, tap: str, name: str, made: str
) -> ProgramArgument:
    """`values`, one (h, T, S) for each attention: the encoder's, the decoder's, the cross-attention, layer by layer;
    the `name` is what is `made` of them."""
    names = ", ".join(repr(module) for module in MODULES.values())
    return ProgramArgument(
        name,
        f"{recording(at_hand, sequences)}"
        f"paths = [name.format(layer) for name in ({names}) for layer in range({at_hand.config.N})]\n"
        f"values = [trace[f'{{path}}.{tap}'][0] for path in paths]\n"
        f"{name} = {made}\n",
    )
