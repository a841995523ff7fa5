"""Building a model of one stack from this package's parts."""

from collections.abc import Callable
from functools import partial
from typing import Any

from torch import Tensor, nn
from torch.nn.functional import gelu

from transformer_core.after_2017.experts import MixtureOfExperts
from transformer_core.after_2017.feed_forwards import GeluFeedForward, SwiGLUFeedForward
from transformer_core.after_2017.grouped_attention import GroupedAttention
from transformer_core.after_2017.one_stack import DecoderOnly, EncoderOnly, OneStack
from transformer_core.after_2017.rms_norm import RMSNorm
from transformer_core.after_2017.shape import OneStackShape
from transformer_core.attention import MultiHeadedAttention
from transformer_core.dropout import Dropout
from transformer_core.embeddings import Embeddings
from transformer_core.encoder import Encoder, EncoderLayer
from transformer_core.feed_forward import PositionwiseFeedForward
from transformer_core.layer_norm import LayerNorm
from transformer_core.learned_positions import LearnedPositions
from transformer_core.model import Generator
from transformer_core.positions import PositionalEncoding
from transformer_core.residual import Norm
from transformer_core.trace import tap

_NORMS: dict[str, Callable[..., nn.Module]] = {"layer": LayerNorm, "torch": nn.LayerNorm, "rms": RMSNorm}
_FEED_FORWARDS: dict[str, Callable[..., PositionwiseFeedForward]] = {
    "relu": PositionwiseFeedForward,
    "gelu": GeluFeedForward,
    "gelu_tanh": partial(GeluFeedForward, approximate="tanh"),
    "swiglu": SwiGLUFeedForward,
}


def make_gpt(
    vocab: int,
    N: int = 6,
    d_model: int = 512,
    d_ff: int = 2048,
    h: int = 8,
    dropout: float = 0.1,
    **switches: Any,
) -> DecoderOnly:
    """A decoder-only model of the paper's base size and parts unless told otherwise; matrices start Xavier-uniform.

    >>> model = make_gpt(11, 2, 64, 256, 4)
    >>> log_probs = model.generator(model(tokens))  # (batch, length) -> of each next token (batch, length, 11)

    The `switches` are the fields of `OneStackShape`: `make_gpt(11, positions="rotary", norm="rms")`. ValueError if they
    do not fit each other, TypeError if there is no such switch.
    """
    model = build(OneStackShape("decoder", vocab, N, d_model, d_ff, h, dropout, **switches))
    assert isinstance(model, DecoderOnly)
    return model


def make_bert(
    vocab: int,
    N: int = 6,
    d_model: int = 512,
    d_ff: int = 2048,
    h: int = 8,
    dropout: float = 0.1,
    **switches: Any,
) -> EncoderOnly:
    """An encoder-only model, with the same switches: `model.generator(model(tokens))` says what stood at each place."""
    model = build(OneStackShape("encoder", vocab, N, d_model, d_ff, h, dropout, **switches))
    assert isinstance(model, EncoderOnly)
    return model


def build(shape: OneStackShape) -> OneStack:
    """The model of a shape: a stack of `EncoderLayer`s between embeddings and a generator."""
    norm = norm_of(shape)
    attention = (
        MultiHeadedAttention(shape.h, shape.d_model, shape.dropout, scale=shape.scale)
        if shape.plain_attention
        else GroupedAttention(
            shape.h,
            shape.d_model,
            shape.dropout,
            groups=shape.groups,
            rotary=shape.rotary_base if shape.positions == "rotary" else None,
            scale=shape.scale,
            bias=shape.bias,
        )
    )
    feed_forward: nn.Module = _FEED_FORWARDS[shape.feed_forward](shape.d_model, shape.d_ff, shape.dropout)
    if shape.experts is not None:
        feed_forward = MixtureOfExperts(feed_forward, shape.d_model, shape.experts, shape.top_k)
    layer = EncoderLayer(shape.d_model, attention, feed_forward, shape.dropout, shape.norm_first, norm)
    stack = Encoder(layer, shape.N, norm(shape.d_model) if shape.norm_first else nn.Identity())
    kind = DecoderOnly if shape.kind == "decoder" else EncoderOnly
    model = kind(shape, stack, _embed(shape, norm), _generator(shape, norm))
    for parameter in model.parameters():
        if parameter.dim() > 1:
            nn.init.xavier_uniform_(parameter)
    if shape.tied:
        model.generator.proj.weight = model.table.weight
    return model


def norm_of(shape: OneStackShape) -> Norm:
    """What makes the norms of a model, for vectors of a size."""
    kind = _NORMS[shape.norm or ("layer" if shape.norm_first else "torch")]
    return kind if shape.norm_eps is None else partial(kind, eps=shape.norm_eps)


def _embed(shape: OneStackShape, norm: Norm) -> nn.Sequential:
    table = (Embeddings if shape.scale_embeddings else UnscaledEmbeddings)(shape.d_model, shape.vocab)
    added: nn.Module = NothingAdded(shape.dropout)
    if shape.positions == "learned":
        added = LearnedPositions(shape.d_model, shape.dropout, shape.max_len)
    elif shape.positions == "sinusoids":
        added = PositionalEncoding(shape.d_model, shape.dropout, shape.max_len)
    return nn.Sequential(table, added, *([norm(shape.d_model)] if shape.embedding_norm else []))


def _generator(shape: OneStackShape, norm: Norm) -> Generator:
    generator = (
        TransformedGenerator(shape.d_model, shape.vocab, norm)
        if shape.transformed
        else Generator(shape.d_model, shape.vocab)
    )
    if not shape.generator_bias:
        generator.proj = nn.Linear(shape.d_model, shape.vocab, bias=False)
    return generator


class UnscaledEmbeddings(Embeddings):
    """A table whose rows are not multiplied by √d_model: (batch, length) int64 -> (batch, length, d_model)."""

    def forward(self, ids: Tensor) -> Tensor:
        return tap(self, "output", tap(self, "rows", self._rows(ids)))


class NothingAdded(nn.Module):
    """In the place of the positions, where attention itself is told of them, or nothing is: dropout alone."""

    def __init__(self, dropout: float) -> None:
        super().__init__()
        self.dropout = Dropout(dropout)

    def forward(self, x: Tensor, first: int = 0) -> Tensor:
        return tap(self, "output", self.dropout(x))


class TransformedGenerator(Generator):
    """One layer with GELU and a norm before the generator, as in BERT: (…, d_model) -> log-probabilities (…, vocab)."""

    def __init__(self, d_model: int, vocab: int, norm: Norm) -> None:
        super().__init__(d_model, vocab)
        self.dense = nn.Linear(d_model, d_model)
        self.norm = norm(d_model)

    def forward(self, x: Tensor) -> Tensor:
        return super().forward(tap(self, "transformed", self.norm(gelu(self.dense(x)))))
