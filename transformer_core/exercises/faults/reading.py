"""Faults of what a model reads (paper, sections 3.1, 3.4 and 3.5): start symbol, shift, √d_model, position code."""

import torch
from torch import Tensor, nn

from transformer_core.embeddings import Embeddings
from transformer_core.exercises.faults.fault import Draw, Fault
from transformer_core.learned_positions import LearnedPositions
from transformer_core.model import EncoderDecoder
from transformer_core.tasks.vocabulary import PAD, START
from transformer_core.trace import tap


class PaddingForStart(Embeddings):
    """Where the start symbol begins the output, the row of the padding is looked up."""

    def forward(self, ids: Tensor) -> Tensor:
        begun = ids.clone()
        begun[:, :1].masked_fill_(ids[:, :1] == START, PAD)
        return super().forward(begun)


class Unshifted(Embeddings):
    """The output is not shifted right: each position reads the token after its own, which it is to predict; the last
    one, after which none is known, reads its own."""

    def forward(self, ids: Tensor) -> Tensor:
        return super().forward(torch.cat([ids[:, 1:], ids[:, -1:]], dim=1))


class WithoutRoot(Embeddings):
    """The rows of the table as they are, without √d_model."""

    def forward(self, ids: Tensor) -> Tensor:
        return tap(self, "output", tap(self, "rows", self.lut(ids)))


def padding_for_start(model: EncoderDecoder, draw: Draw) -> str:
    _tables(model)[1].__class__ = PaddingForStart
    return "tgt_embed.0.rows"


def unshifted(model: EncoderDecoder, draw: Draw) -> str:
    _tables(model)[1].__class__ = Unshifted
    return "tgt_embed.0.rows"


def without_root(model: EncoderDecoder, draw: Draw) -> str:
    for table in _tables(model):
        table.__class__ = WithoutRoot
    return "src_embed.0.output"


def without_positions(model: EncoderDecoder, draw: Draw) -> str:
    for side in (model.src_embed, model.tgt_embed):
        position = side.get_submodule("1")
        if isinstance(position, LearnedPositions):
            weight = position.lut.weight
            position.lut.weight = nn.Parameter(weight.detach().new_zeros(()).expand_as(weight))
        else:
            code = position.get_buffer("pe")
            position.register_buffer("pe", code.new_zeros(()).expand_as(code))
    return "src_embed.1.code"


def _tables(model: EncoderDecoder) -> list[nn.Module]:
    """Of the source and of the target."""
    return [side.get_submodule("0") for side in (model.src_embed, model.tgt_embed)]


START_SYMBOL = Fault("start", padding_for_start, ("start",))
SHIFT = Fault("shift", unshifted, ("shift", "start"))  # where nothing is shifted, no start symbol is read either
ROOT = Fault("root", without_root, ("root",))
POSITIONS = Fault("positions", without_positions, ("positions",))
