"""One wrong word of an early step: what a loss and its gradient are about."""

from copy import deepcopy

import torch
from torch import Tensor

from transformer_core import PAD, EncoderDecoder, padding_mask, target_mask
from transformer_core.training.models import fresh_model
from ui.model import ModelAtHand


def early(at_hand: ModelAtHand, model: EncoderDecoder) -> EncoderDecoder:
    """The model before its first update, where there is one; else a copy of itself."""
    return fresh_model(at_hand.run).eval() if at_hand.step is not None else deepcopy(model).eval()


def wrong_place(log_probs: Tensor, answers: Tensor) -> int:
    """The first word that the model gets wrong when it is given the right ones before, or the one that it is least
    sure of: log_probs (T, V), answers (T,)."""
    counted = answers != PAD
    wrong = ((log_probs.argmax(-1) != answers) & counted).nonzero()
    own = log_probs.gather(1, answers[:, None])[:, 0].masked_fill(~counted, 1.0)
    return int(wrong[0]) if len(wrong) else int(own.argmin())


def given_right(model: EncoderDecoder, src: tuple[int, ...], given: tuple[int, ...]) -> Tensor:
    """Log-probabilities after each of the tokens given: (len(given), V)."""
    sources, targets = torch.tensor([src]), torch.tensor([given])
    out = model(sources, targets, padding_mask(sources, PAD), target_mask(targets, PAD))
    log_probs: Tensor = model.generator(out)[0]
    return log_probs
