"""The shape of a model: all that must be known to build it, however its weights came about (paper, section 3)."""

from dataclasses import dataclass

from torch import nn

from transformer_core.layer_norm import LayerNorm
from transformer_core.model import EncoderDecoder, make_model

POSITIONS = 5000  # rows of the position code


@dataclass(frozen=True)
class ModelShape:
    """An encoder-decoder of `make_model`; nothing is built before `build`."""

    src_vocab: int  # tokens of each side, padding included
    tgt_vocab: int
    N: int
    d_model: int
    d_ff: int
    h: int
    dropout: float = 0.0
    norm_first: bool = True
    scale: bool = True
    notes_norm: bool | None = None  # LayerNorm's formula: the notes' (a_2, b_2), or PyTorch's; None: as `make_model`
    positions: bool = True
    position_rows: int = 0  # of each side's table of learned positions; 0: sinusoids
    tied: bool = False  # whether both embeddings and the generator share a matrix, of one vocabulary
    last_norm: bool | None = None  # whether each stack ends with a normalisation; None: as `make_model`, if pre-norm

    @property
    def parameters(self) -> int:
        """How many numbers the model learns."""
        d, f = self.d_model, self.d_ff
        attention, feed_forward, norm = 4 * (d * d + d), 2 * d * f + f + d, 2 * d
        encoder = self.N * (attention + feed_forward + 2 * norm)
        decoder = self.N * (2 * attention + feed_forward + 3 * norm)
        ends = self.norm_first if self.last_norm is None else self.last_norm
        rows = self.src_vocab if self.tied else self.src_vocab + 2 * self.tgt_vocab
        vocabularies = rows * d + self.tgt_vocab
        return encoder + decoder + (2 * norm if ends else 0) + vocabularies + 2 * self.position_rows * d

    def build(self) -> EncoderDecoder:
        norm = None if self.notes_norm is None else LayerNorm if self.notes_norm else nn.LayerNorm
        model = make_model(
            self.src_vocab,
            self.tgt_vocab,
            self.N,
            self.d_model,
            self.d_ff,
            self.h,
            self.dropout,
            norm_first=self.norm_first,
            norm=norm,
            scale=self.scale,
            positions=self.positions,
            learned_positions=self.position_rows > 0,
            max_len=self.position_rows or POSITIONS,
            tied=self.tied,
        )
        if self.last_norm is not None:
            for stack in (model.encoder, model.decoder):
                stack.norm = (norm or LayerNorm)(self.d_model) if self.last_norm else nn.Identity()
        return model
