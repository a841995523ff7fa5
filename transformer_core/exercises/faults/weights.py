"""Faults of the weights (paper, sections 3.1 and 3.4): a gain that is not applied, a matrix tied to a table."""

import torch
from torch import nn

from transformer_core.exercises.faults.fault import Draw, Fault
from transformer_core.layer_norm import LayerNorm
from transformer_core.model import EncoderDecoder


def norms(model: nn.Module) -> dict[str, LayerNorm]:
    """By their paths."""
    return {path: part for path, part in model.named_modules() if isinstance(part, LayerNorm)}


def without_gain(model: EncoderDecoder, draw: Draw) -> str:
    """Every gain is what it was before training: 1."""
    for norm in norms(model).values():
        norm.a_2 = nn.Parameter(torch.ones_like(norm.a_2))
    return "encoder.layers.0.sublayer.0.norm.output"


def tied(model: EncoderDecoder, draw: Draw) -> str:
    """The last layer takes the table of the target's embeddings for its matrix, as where both are trained as one."""
    table = model.tgt_embed.get_submodule("0.lut").get_parameter("weight")
    model.generator.proj.weight = nn.Parameter(table.detach())
    return "generator.logits"


GAIN = Fault("gain", without_gain, ("gain",))
TIED = Fault("tied", tied, ("tied",))
