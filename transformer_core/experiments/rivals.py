"""A recurrent and a convolutional encoder-decoder, of the Transformer's size and in its place (paper, section 4).

Both are an `EncoderDecoder`, so training, measuring and decoding are the same functions. Neither attends to anything.
What lies in the future is hidden by the way they are built; the decoder's mask has nothing to do.
"""

import math
from typing import Literal, cast

from torch import Tensor, nn
from torch.nn.functional import pad
from torch.nn.utils.rnn import pack_padded_sequence

from transformer_core.decoder import Decoder
from transformer_core.dropout import Dropout
from transformer_core.embeddings import Embeddings
from transformer_core.encoder import Encoder
from transformer_core.masks import boolean_mask
from transformer_core.model import EncoderDecoder, Generator

Rival = Literal["recurrent", "convolution"]
KERNEL = 3


class RecurrentEncoder(nn.Module):
    """N GRUs, one above the other, read the source: (batch, S, width) -> their last states (batch, N, width)."""

    def __init__(self, width: int, N: int) -> None:
        super().__init__()
        self.gru = nn.GRU(width, width, N, batch_first=True)

    def forward(self, x: Tensor, mask: Tensor | None) -> Tensor:
        shown = None if mask is None else boolean_mask(mask)
        if shown is None or bool(shown.all()):
            states = self.gru(x)[1]
        else:
            lengths = shown.squeeze(1).sum(1).clamp(min=1).cpu()  # padding stands on the right, and is not read
            states = self.gru(pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False))[1]
        return states.transpose(0, 1)


class RecurrentDecoder(nn.Module):
    """N GRUs that begin with the encoder's last states: all they ever hear of the source. (batch, T, width) -> same."""

    def __init__(self, width: int, N: int) -> None:
        super().__init__()
        self.gru = nn.GRU(width, width, N, batch_first=True)

    def forward(self, x: Tensor, memory: Tensor, src_mask: Tensor | None, tgt_mask: Tensor | None) -> Tensor:
        return self.gru(x, memory.transpose(0, 1).contiguous())[0]


class ConvolutionLayer(nn.Module):
    """x + max(0, convolution(norm(x))): (batch, L, width) -> the same. `causal` looks back only, else both ways."""

    def __init__(self, width: int, gap: int, *, causal: bool) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.convolution = nn.Conv1d(width, width, KERNEL, dilation=gap)
        span = (KERNEL - 1) * gap
        self.edges = (span, 0) if causal else (span // 2, span - span // 2)

    def forward(self, x: Tensor, shown: Tensor | None = None) -> Tensor:
        """`shown` (batch, L, 1): False = padding, which reads as zeros."""
        y = self.norm(x)
        if shown is not None:
            y = y * shown
        return x + self.convolution(pad(y.transpose(1, 2), self.edges)).relu().transpose(1, 2)


class ConvolutionEncoder(nn.Module):
    """A stack with wider and wider gaps: (batch, S, width) -> a memory of the same shape, position by position."""

    def __init__(self, width: int, gaps: list[int]) -> None:
        super().__init__()
        self.layers = nn.ModuleList(ConvolutionLayer(width, gap, causal=False) for gap in gaps)

    def forward(self, x: Tensor, mask: Tensor | None) -> Tensor:
        shown = None if mask is None else boolean_mask(mask).transpose(1, 2)  # (batch, S, 1)
        for layer in self.layers:
            x = layer(x, shown)
        return x if shown is None else x * shown


class ConvolutionDecoder(nn.Module):
    """A causal stack on top of the memory (ByteNet's form): target position t stands on source position t."""

    def __init__(self, width: int, gaps: list[int]) -> None:
        super().__init__()
        self.layers = nn.ModuleList(ConvolutionLayer(width, gap, causal=True) for gap in gaps)
        self.norm = nn.LayerNorm(width)

    def forward(self, x: Tensor, memory: Tensor, src_mask: Tensor | None, tgt_mask: Tensor | None) -> Tensor:
        beyond = max(0, x.size(1) - memory.size(1))  # a target may be longer than its source
        x = x + pad(memory, (0, 0, 0, beyond))[:, : x.size(1)]
        for layer in self.layers:
            x = layer(x)
        return self.norm(x)


def make_rival(
    rival: Rival, src_vocab: int, tgt_vocab: int, width: int, N: int, length: int, dropout: float = 0.0
) -> EncoderDecoder:
    """Encoder, decoder, embeddings and generator of vectors of size `width`, for sequences of `length` tokens.

    There is no position code: the order of the states, or of the neighbours, is the order of the tokens.
    """
    if rival == "recurrent":
        encoder: nn.Module = RecurrentEncoder(width, N)
        decoder: nn.Module = RecurrentDecoder(width, N)
    else:
        encoder = ConvolutionEncoder(width, gaps(N, length))
        decoder = ConvolutionDecoder(width, gaps(N, length))
    return EncoderDecoder(
        cast(Encoder, encoder),  # the same calls
        cast(Decoder, decoder),
        nn.Sequential(Embeddings(width, src_vocab), Dropout(dropout)),
        nn.Sequential(Embeddings(width, tgt_vocab), Dropout(dropout)),
        Generator(width, tgt_vocab),
    )


def gaps(N: int, length: int) -> list[int]:
    """The gaps of N towers of convolutions, 1, 3, 9, …: each tower joins every two of `length` positions."""
    floors, joined = 0, 1
    while joined < 2 * length - 1:  # both ways
        floors, joined = floors + 1, joined * KERNEL
    return [KERNEL**floor for floor in range(floors)] * N


def parameters(rival: Rival, src_vocab: int, tgt_vocab: int, width: int, N: int, length: int) -> int:
    """How many numbers `make_rival` learns."""
    square, linear, constant = _polynomial(rival, src_vocab, tgt_vocab, N, length)
    return square * width * width + linear * width + constant


def width_of(rival: Rival, src_vocab: int, tgt_vocab: int, N: int, length: int, wanted: int) -> int:
    """The width at which the rival has as many parameters as `wanted`, as nearly as can be; at least 1."""
    square, linear, constant = _polynomial(rival, src_vocab, tgt_vocab, N, length)
    root = math.sqrt(linear**2 + 4 * square * max(0, wanted - constant))
    return max(1, round((root - linear) / (2 * square)))


def _polynomial(rival: Rival, src_vocab: int, tgt_vocab: int, N: int, length: int) -> tuple[int, int, int]:
    """Parameters as a·width² + b·width + c."""
    rows = src_vocab + 2 * tgt_vocab  # of both embeddings and the generator
    if rival == "recurrent":
        return 2 * N * 6, 2 * N * 6 + rows, tgt_vocab
    layers = 2 * len(gaps(N, length))
    return KERNEL * layers, 3 * layers + 2 + rows, tgt_vocab
