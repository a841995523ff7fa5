"""What the forward pass computes in one turn of the decoding loop, by path."""

from collections.abc import Mapping

import streamlit as st
import torch
from torch import Tensor

from transformer_core import PAD, EncoderDecoder, greedy_decode, padding_mask, record, subsequent_mask
from ui.session import ModelAtHand

Values = Mapping[str, Tensor]


def turn_values(at_hand: ModelAtHand, src: tuple[int, ...], turn: int) -> Values:
    """Every tensor of turn 1, 2, …: traced values, parameters, and the loop's own `ys`, `last`, `choice`, `next`."""
    whose = (at_hand.kind, at_hand.config, at_hand.step, at_hand.seed)
    return _turn(whose, src, tuple(_output(whose, src, at_hand.model)[:turn]), at_hand.model)


@st.cache_resource(show_spinner=False, max_entries=8)
def _turn(whose: object, src: tuple[int, ...], ys: tuple[int, ...], _model: EncoderDecoder) -> Values:
    return values_of(_model, torch.tensor([src]), torch.tensor([ys]))


def values_of(model: EncoderDecoder, src: Tensor, ys: Tensor) -> Values:
    """The same as one round of `greedy_steps`, with the encoder's values and the loop's own kept as well."""
    src_mask, tgt_mask = padding_mask(src, PAD), subsequent_mask(ys.size(1))
    with torch.no_grad(), record(model) as trace:
        out = model.decode(model.encode(src, src_mask), src_mask, ys, tgt_mask)
        last = out[:, -1]
        choice = model.generator(last).argmax(-1)
    own = {"src": src, "src_mask": src_mask, "ys": ys, "tgt_mask": tgt_mask, "last": last, "choice": choice}
    own["next"] = torch.cat([ys, choice.unsqueeze(1)], dim=1)
    learned = {name: weight.detach() for name, weight in model.named_parameters()}
    return learned | dict(model.named_buffers()) | trace | own


@st.cache_data(show_spinner=False, max_entries=64)
def _output(whose: object, src: tuple[int, ...], _model: EncoderDecoder) -> list[int]:
    """The greedy output, as long as the source; `whose` says which model this is."""
    sources = torch.tensor([src])
    return greedy_decode(_model, sources, padding_mask(sources, PAD), len(src))[0].tolist()
