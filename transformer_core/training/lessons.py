"""The batches that a run learns from: new ones, or the same few again, with right answers or spoilt ones."""

from dataclasses import dataclass

import torch
from torch import Tensor

from transformer_core.tasks import Task
from transformer_core.tasks.batch import Batch, Pairs
from transformer_core.tasks.vocabulary import PAD
from transformer_core.training.config import TrainConfig
from transformer_core.training.models import NOISE, stream


@dataclass(frozen=True)
class Lesson:
    """Pairs, and what is to be predicted of each, (n, length - 1), which `noise` may have spoilt."""

    pairs: Pairs
    answers: Tensor


class Lessons:
    """One for each update. `batches` of them are kept, and come again in their order; of noise each keeps what it had.

    The pairs are those of a run without: it draws the same numbers from `generator`, and the noise has its own.
    """

    def __init__(self, config: TrainConfig, task: Task, generator: torch.Generator) -> None:
        self.config = config
        self.task = task
        self._generator = generator
        self._noise = stream(config.seed, NOISE)
        self._kept: list[Lesson] = []

    def batch(self, step: int) -> Batch:
        """Of the update after `step` others. They are asked for in turn."""
        lesson = self._lesson(step)
        batch = Batch(*lesson.pairs, look_ahead=self.config.look_ahead)
        batch.tgt_y = lesson.answers
        return batch

    def _lesson(self, step: int) -> Lesson:
        most = self.config.batches
        if most and step >= most:
            return self._kept[step % most]
        pairs = self.task.pairs(self.config.batch, self._generator)
        lesson = Lesson(pairs, spoilt(pairs.tgt[:, 1:], self.config.noise, self.config.tgt_vocab, self._noise))
        if most:
            self._kept.append(lesson)
        return lesson


def spoilt(answers: Tensor, share: float, vocab: int, generator: torch.Generator) -> Tensor:
    """Each answer with probability `share` another draw: any token but padding, the right one among them.

    answers (n, T) int64 -> the same shape. Padding, which is no answer, stays.
    """
    if share == 0:
        return answers
    drawn = torch.randint(PAD + 1, vocab, answers.shape, generator=generator)
    hit = torch.rand(answers.shape, generator=generator) < share
    return torch.where(hit & (answers != PAD), drawn, answers)
