"""What a model reaches that has learned nothing but which tokens occur, and where no loss gets lower."""

import math
from functools import lru_cache

import torch

from transformer_core.loss import LabelSmoothing, smoothed_targets
from transformer_core.tasks.vocabulary import PAD, START
from transformer_core.training.config import TrainConfig


@lru_cache(maxsize=64)
def guess_of(config: TrainConfig) -> float:
    """The loss per token of giving every token that can be an answer the same probability, and padding none.

    It is ln (V − 1), less the entropy of smoothed targets.
    """
    criterion = LabelSmoothing(config.tgt_vocab, PAD, config.smoothing)
    alike = torch.full((1, config.tgt_vocab), -math.log(config.tgt_vocab - 1))
    return float(criterion(alike, torch.tensor([START])))  # the targets give padding nothing, whatever it has here


@lru_cache(maxsize=64)
def floor_of(config: TrainConfig) -> float:
    """The loss per token of who knows every right answer, and how often it is spoilt: no model's is lower for long.

    It is the entropy of what is to be predicted, less that of smoothed targets; 0 without noise.
    """
    target = smoothed_targets(torch.tensor([START]), config.tgt_vocab, PAD, config.smoothing)[0].double()
    alike = torch.full_like(target, 1 / (config.tgt_vocab - 1))
    alike[PAD] = 0.0
    expected = torch.lerp(target, alike, config.noise)
    return float(torch.special.entr(expected).sum() - torch.special.entr(target).sum())
