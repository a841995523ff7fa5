"""Dropout that goes on in evaluation (paper, section 5.4)."""

import torch
from torch import Tensor

from transformer_core.dropout import Dropout, drop
from transformer_core.exercises.faults.fault import Draw, Fault
from transformer_core.model import EncoderDecoder

P = 0.1  # the paper's


class AlwaysDropping(Dropout):
    """Drops in any mode, with draws of its own: the first pass of a model drops the same each time, a second one other
    values."""

    count = 0  # of draws so far
    place = 0  # of the module in the model

    def forward(self, x: Tensor) -> Tensor:
        self.count += 1
        generator = torch.Generator().manual_seed(1000 * self.place + self.count)
        return drop(x, torch.rand(x.shape, generator=generator) >= P, P)


def always_dropping(model: EncoderDecoder, draw: Draw) -> str:
    for place, module in enumerate(model.modules()):
        if isinstance(module, Dropout):
            module.__class__ = AlwaysDropping
            module.p = P
            vars(module)["place"] = place
    return "src_embed.1.output"


DROPOUT = Fault("dropout", always_dropping, ("dropout",))
