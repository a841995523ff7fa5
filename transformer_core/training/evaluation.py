"""What a model has learned: its loss, and the targets that it gives without a mistake."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn

from transformer_core.devices import model_device
from transformer_core.model import EncoderDecoder
from transformer_core.tasks import Task
from transformer_core.tasks.batch import Batch, Pairs
from transformer_core.tasks.kinds import share_right
from transformer_core.tasks.random_task import HELD_OUT
from transformer_core.tasks.vocabulary import PAD
from transformer_core.training.config import TrainConfig
from transformer_core.training.memory import evaluated_at_once

QUICK_SEQUENCES = 64  # for the exact match on the way
FINAL_SEQUENCES = 1000  # for the exact match at the end


@contextmanager
def evaluating(model: nn.Module) -> Iterator[None]:
    """In evaluation mode and without gradients while the block runs. What the model says of its mode holds for all its
    modules."""
    was_training = model.training
    if was_training:
        model.eval()
    try:
        with torch.no_grad():
            yield
    finally:
        if was_training:
            model.train()


def log_probs_of(model: EncoderDecoder, batch: Batch) -> Tensor:
    """Log-probabilities of every next token under teacher forcing: (batch, T, vocab)."""
    return model.generator(model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask))


def mean_loss(log_probs: Tensor, batch: Batch, criterion: nn.Module) -> Tensor:
    """Nats per token that is not padding, from the log-probabilities (batch, T, vocab)."""
    loss: Tensor = criterion(log_probs.flatten(0, 1), batch.tgt_y.flatten())
    return loss / batch.ntokens


def loss_of(model: EncoderDecoder, batch: Batch, criterion: nn.Module) -> Tensor:
    """The same of a model."""
    return mean_loss(log_probs_of(model, batch), batch, criterion)


def right_tokens(model: EncoderDecoder, pairs: Pairs) -> Tensor:
    """Which tokens of n targets, after the first, the model gives, those before them given: (n, T) bool.

    All positions at once. A row that is right throughout is greedy decoding's answer as well: as long as that has made
    no mistake, it has seen the same tokens.
    """
    batch = Batch(*pairs)
    with evaluating(model):
        choices = log_probs_of(model, batch.to(model_device(model))).argmax(-1).to(batch.tgt_y.device)
    return (choices == batch.tgt_y) | (batch.tgt_y == PAD)


def answered(model: EncoderDecoder, pairs: Pairs) -> Tensor:
    """Which targets of n pairs the model gives without a mistake: (n,) bool."""
    return right_tokens(model, pairs).all(dim=1)


def share(flags: Tensor) -> float:
    return int(flags.sum()) / flags.numel()


class Examination:
    """Measures the model of a run on pairs that it does not train on, as many at a time as its memory allows.

    Such pairs are fresh ones to copy, from a stream of their own; else those that are held out, in the random task all.
    """

    def __init__(self, config: TrainConfig, task: Task, fresh: torch.Generator) -> None:
        self.config = config
        self.task = task
        self.fresh = fresh

    def pairs(self, count: int) -> Pairs:
        if self.config.task == "copy":
            return self.task.pairs(count, self.fresh)
        return self.task.held_out(HELD_OUT if self.config.task == "random" else count)

    def parts(self, pairs: Pairs) -> Iterator[Pairs]:
        return map(Pairs, *(side.split(evaluated_at_once(self.config)) for side in pairs))

    def loss(self, model: EncoderDecoder, pairs: Pairs, criterion: nn.Module) -> float:
        """Nats per token, without dropout."""
        losses, tokens = 0.0, 0
        with evaluating(model):
            for part in self.parts(pairs):
                batch = Batch(*part).to(model_device(model))
                losses += float(loss_of(model, batch, criterion)) * batch.ntokens
                tokens += batch.ntokens
        return losses / tokens

    def match(self, model: EncoderDecoder, pairs: Pairs) -> dict[str, Any]:
        """Fields of a report: shares of right targets and, in tasks with words of their own, of right words."""
        right = torch.cat([right_tokens(model, part) for part in self.parts(pairs)])
        words = {} if self.config.words is None else share_right(self.config.words, right)
        return {"exact_match": share(right.all(dim=1)), **{f"right_{kind}": of for kind, of in words.items()}}
