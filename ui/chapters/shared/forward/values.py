"""What the forward pass computes in one turn of the decoding loop, by path."""

from collections.abc import Mapping

import torch
from torch import Tensor

from transformer_core import PAD, EncoderDecoder, padding_mask, record, subsequent_mask
from ui.model import ModelAtHand, made, output_of

TurnTensors = Mapping[str, Tensor]


def turn_values(at_hand: ModelAtHand, src: tuple[int, ...], turn: int) -> TurnTensors:
    """Every tensor of turn 1, 2, …: traced values, parameters, and the loop's own `ys`, `last`, `choice`, `next`."""
    ys = torch.tensor([output_of(at_hand, src)[:turn]])
    values = made(at_hand, ("turn", src, turn), lambda model: _turn(model, torch.tensor([src]), ys))
    return learned(at_hand.load()) | values


def values_of(model: EncoderDecoder, src: Tensor, ys: Tensor) -> TurnTensors:
    return learned(model) | _turn(model, src, ys)


def learned(model: EncoderDecoder) -> dict[str, Tensor]:
    weights = {name: weight.detach() for name, weight in model.named_parameters()}
    return weights | dict(model.named_buffers(remove_duplicate=False))


def _turn(model: EncoderDecoder, src: Tensor, ys: Tensor) -> dict[str, Tensor]:
    """The same as one round of `greedy_steps`, with the encoder's values and the loop's own kept as well."""
    src_mask, tgt_mask = padding_mask(src, PAD), subsequent_mask(ys.size(1))
    with torch.no_grad(), record(model) as trace:
        out = model.decode(model.encode(src, src_mask), src_mask, ys, tgt_mask)
        last = out[:, -1]
        choice = model.generator(last).argmax(-1)
    own = {"src": src, "src_mask": src_mask, "ys": ys, "tgt_mask": tgt_mask, "last": last, "choice": choice}
    own["next"] = torch.cat([ys, choice.unsqueeze(1)], dim=1)
    return trace | own
