"""What a source is to become: the task's answer, or else what the model says."""

from functools import partial

import torch
from torch import Tensor

from transformer_core import PAD, START, EncoderDecoder, greedy_decode, padding_mask
from ui.model.at_hand import ModelAtHand
from ui.model.recorded import measured


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
