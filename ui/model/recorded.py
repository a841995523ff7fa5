"""What is found once on a model, a recorded forward pass above all, for all figures and readers that ask for it."""

from collections.abc import Callable, Hashable, Sequence
from functools import partial
from typing import TypeVar

import torch
from torch import Tensor

from transformer_core import PAD, START, EncoderDecoder, Trace, greedy_decode, padding_mask, record, target_mask
from ui.cache import cached
from ui.model.current_model import ModelAtHand

T = TypeVar("T")


def recorded(at_hand: ModelAtHand, src: tuple[int, ...], tgt: tuple[int, ...]) -> Trace:
    """Every value that the model at hand computes for the decoder input `tgt`."""
    return measured(at_hand, ("recorded", src, tgt), lambda model: forward(model, src, tgt)[1])


def measured(at_hand: ModelAtHand, what: Hashable, measure: Callable[[EncoderDecoder], Trace]) -> Trace:
    """What `measure` finds on the model at hand, as `made` keeps it."""
    return made(at_hand, what, lambda model: {name: _alone(value) for name, value in measure(model).items()})


def made(at_hand: ModelAtHand, what: Hashable, make: Callable[[EncoderDecoder], T]) -> T:
    """What `make` makes of the model at hand, where `what` names it with all that it depends on.

    Shared by all readers: never to be changed.
    """
    known: T | None = cached.get((at_hand, what))
    if known is not None:  # then nobody needs to make the model, which takes time where it is broken
        return known
    model = at_hand.load()  # it may have to be trained again, and others must not wait for that
    return cached.get_or_make((at_hand, what), lambda: make(model))


def texts_made(at_hand: ModelAtHand, what: Hashable, write: Callable[[], Sequence[str]]) -> Sequence[Callable[[], str]]:
    """Texts about the model at hand, each to be read by itself: written once, as `made` keeps it, they count with their
    bytes."""
    return _read(made(at_hand, what, lambda _: _written(write)))


def texts_cached(what: Hashable, write: Callable[[], Sequence[str]]) -> Sequence[Callable[[], str]]:
    """Texts about something else, kept in the same way."""
    return _read(cached.get_or_make(what, lambda: _written(write)))


def _written(write: Callable[[], Sequence[str]]) -> list[Tensor]:
    return [torch.frombuffer(bytearray(text.encode()), dtype=torch.uint8) for text in write()]


def _read(texts: Sequence[Tensor]) -> Sequence[Callable[[], str]]:
    return [partial(_text, text) for text in texts]


def _text(written: Tensor) -> str:
    return bytes(written.numpy()).decode()


def _alone(value: Tensor) -> Tensor:
    """A part of a larger tensor, of the table of positions for one, would keep all of that."""
    return value.clone() if value.untyped_storage().nbytes() > value.nbytes else value


def forward(model: EncoderDecoder, src: tuple[int, ...], tgt: tuple[int, ...]) -> tuple[Tensor, Trace]:
    """Log-probabilities (1, len(tgt), vocab) for the decoder input `tgt`, and every value on the way there."""
    sources, targets = torch.tensor([src]), torch.tensor([tgt])
    with torch.inference_mode(), record(model) as trace:
        out = model(sources, targets, padding_mask(sources, PAD), target_mask(targets, PAD))
        log_probs = model.generator(out)
    return log_probs, trace


def answer(at_hand: ModelAtHand, src: tuple[int, ...]) -> tuple[int, ...]:
    """The target of a source, both with their symbols; for a sentence that the task does not know, the model's own."""
    known = at_hand.config.answer(src)
    return output_of(at_hand, src) if known is None else tuple(known)


def output_of(at_hand: ModelAtHand, src: tuple[int, ...]) -> tuple[int, ...]:
    """What the model at hand makes of a source, taking the likeliest token each time: up to its end symbol."""
    output = measured(at_hand, ("output", src), partial(_output, at_hand, src))["ids"]
    return tuple(output.tolist())


def _output(at_hand: ModelAtHand, src: tuple[int, ...], model: EncoderDecoder) -> dict[str, Tensor]:
    sources = torch.tensor([src])
    with torch.inference_mode():
        mask, most, end = padding_mask(sources, PAD), at_hand.most(src), at_hand.target.end
        return {"ids": greedy_decode(model, sources, mask, most, START, end)[0]}
