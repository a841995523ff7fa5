"""The documents' classes and functions beside ours: arguments, and shapes in and out."""

import inspect
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple

import streamlit as st
import torch
from torch import Tensor, nn

from transformer_core import (
    Decoder,
    DecoderLayer,
    Embeddings,
    Encoder,
    EncoderDecoder,
    EncoderLayer,
    Generator,
    LayerNorm,
    MultiHeadedAttention,
    PositionalEncoding,
    PositionwiseFeedForward,
    SublayerConnection,
    attention,
    create_masks,
    data_generator,
    make_model,
    subsequent_mask,
)
from transformer_core.random_seed import Seeded
from ui.chapters.route.numbers import shape
from ui.sections import AnyChapter, Section
from ui.settings.route import DOCUMENTS, TheirCode, steps_of


class OurCode(NamedTuple):
    """Ours, and what it has just made of an input of the same shape."""

    made: Callable[..., Any]
    given: str
    result: str

    @property
    def signature(self) -> str:
        parts = inspect.signature(self.made).parameters.values()
        said = [part.name if part.default is part.empty else f"{part.name}={_said(part.default)}" for part in parts]
        return f"{self.made.__name__}({', '.join(said)})"


def _said(default: object) -> str:
    return getattr(default, "__name__", repr(default))


def _run(made: Callable[..., Any], block: Callable[..., Tensor], *given: Tensor) -> OurCode:
    """`block`, which is or is made by `made`, on what it is given."""
    if isinstance(block, nn.Module):
        block.eval()
    with torch.no_grad():
        return OurCode(made, shape(given[0]), shape(block(*given)))


def _vectors(*size: int) -> Tensor:
    return torch.randn(*size, 512)


def _tokens(*size: int) -> Tensor:
    return torch.randint(1, 10, size)


def _heads() -> MultiHeadedAttention:
    return MultiHeadedAttention(8, 512)


def _network() -> PositionwiseFeedForward:
    return PositionwiseFeedForward(512, 64)


def _encoder_layer(norm_first: bool = True) -> EncoderLayer:
    return EncoderLayer(512, _heads(), _network(), 0.2, norm_first)


def _decoder_layer() -> DecoderLayer:
    return DecoderLayer(512, _heads(), _heads(), _network(), 0.2)


def _attend(size: Sequence[int]) -> OurCode:
    x = _vectors(*size)
    return _run(MultiHeadedAttention, _heads(), x, x, x)


def _masks() -> OurCode:
    src, tgt = _tokens(32, 100), _tokens(32, 99)
    masks = create_masks(src, tgt)
    return OurCode(create_masks, f"{shape(src)}, {shape(tgt)}", ", ".join(map(shape, masks)))


def _batches() -> OurCode:
    batch = next(iter(data_generator(11, 8, 20)))
    return OurCode(data_generator, "11, 8, 20", shape(batch.src))


def _encoded(src: Tensor, model: EncoderDecoder) -> OurCode:
    return _run(make_model, model.encode, src, torch.ones(len(src), 1, src.size(1)).bool())


def _decoded(block: nn.Module, made: type[nn.Module]) -> OurCode:
    everything = torch.ones(2, 4, 4).bool()
    return _run(made, block, _vectors(2, 4), _vectors(2, 4), everything, everything)


OURS: dict[str, Callable[[], OurCode]] = {
    "embeddings": lambda: _run(Embeddings, Embeddings(512, 1000), _tokens(2, 4)),
    "embeddings_16": lambda: _run(Embeddings, Embeddings(16, 10), _tokens(1, 5)),
    "embeddings_32": lambda: _run(Embeddings, Embeddings(512, 10_000), _tokens(32, 64)),
    "positions": lambda: _run(PositionalEncoding, PositionalEncoding(512, 0.1), _vectors(2, 4)),
    "positions_32": lambda: _run(PositionalEncoding, PositionalEncoding(512, 0.0), _vectors(32, 64)),
    "mask": lambda: OurCode(subsequent_mask, "20", shape(subsequent_mask(20))),
    "attention": lambda: _run(attention, lambda x: attention(x, x, x)[0], _vectors(2, 4)),
    "heads": lambda: _attend((2, 4)),
    "heads_32": lambda: _attend((32, 64)),
    "feed_forward": lambda: _run(PositionwiseFeedForward, _network(), _vectors(2, 4)),
    "feed_forward_32": lambda: _run(PositionwiseFeedForward, _network(), _vectors(32, 64)),
    "norm": lambda: _run(LayerNorm, LayerNorm(512), _vectors(2, 4)),
    "residual": lambda: _run(SublayerConnection, _around(SublayerConnection(512, 0.1)), _vectors(2, 4)),
    "residual_32": lambda: _run(
        SublayerConnection, _around(SublayerConnection(512, 0.1, norm_first=False)), _vectors(32, 64)
    ),
    "encoder_layer": lambda: _run(EncoderLayer, _encoder_layer(), _vectors(2, 4), torch.ones(2, 4, 4).bool()),
    "post_encoder_layer": lambda: _run(
        EncoderLayer, _encoder_layer(norm_first=False), _vectors(32, 64), torch.ones(32, 64, 64).bool()
    ),
    "encoder": lambda: _run(Encoder, Encoder(_encoder_layer(), 2), _vectors(2, 4), torch.ones(2, 4, 4).bool()),
    "decoder_layer": lambda: _decoded(_decoder_layer(), DecoderLayer),
    "decoder": lambda: _decoded(Decoder(_decoder_layer(), 2), Decoder),
    "generator": lambda: _run(Generator, Generator(512, 1000), _vectors(2, 4)),
    "make_model": lambda: _encoded(_tokens(1, 10), make_model(11, 11, N=1)),
    "post_model": lambda: _encoded(_tokens(2, 5), make_model(10, 10, 2, 16, 32, 2, norm_first=False)),
    "create_masks": _masks,
    "data_generator": _batches,
}


def _around(connection: SublayerConnection) -> Callable[[Tensor], Tensor]:
    attend = _heads()
    return lambda x: connection(x, lambda y: attend(y, y, y))


def code(chapter: AnyChapter) -> None:
    say = chapter.say
    head = [say("code.theirs"), say("code.shapes"), say("code.ours"), say("code.shapes")]
    for part in DOCUMENTS:
        rows = [_row(their) for step in steps_of(part) for their in step.code]
        if rows:
            lines = [head, ["---"] * len(head), *rows]
            table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
            st.markdown(f"**{say(f'{part}.title')}**\n\n{table}")


@cache
def ours(name: str) -> OurCode:
    """Run once in a process. KeyError if there is none of this name."""
    with Seeded(0):
        return OURS[name]()


def _row(their: TheirCode) -> list[str]:
    own = ours(their.ours)
    return [f"`{their.signature}`", _shapes(their), f"`{own.signature}`", _shapes(own)]


def _shapes(code: TheirCode | OurCode) -> str:
    return f"{code.given} → {code.result}".replace(" × ", "\u00a0×\u00a0")  # a line breaks between shapes alone


CODE: Section[Any] = Section("code", code, text="text")
