"""Each head switched off in turn, a piece of the work at a time, for all readers."""

import time
from collections.abc import Hashable
from functools import partial
from typing import NamedTuple

from transformer_core import EncoderDecoder
from transformer_core.experiments.ablation import Head, Scores, memory_of, scores_without
from transformer_core.tasks import Task
from ui.cache import cached
from ui.chapters.heads.values import every_head
from ui.chapters.shared.attention_values import path
from ui.figures.wall import HeadName
from ui.model import ModelAtHand, made


class Bench(NamedTuple):
    """What is measured, without the model's weights. Its results are shared by all readers."""

    at_hand: ModelAtHand
    task: Task
    sentences: int

    @property
    def heads(self) -> list[HeadName | None]:
        """None for the model as it is, then all heads."""
        return [None, *every_head(self.at_hand.config)]

    def known(self) -> list[Scores | None]:
        """What anybody has measured on this server; nothing is measured here."""
        return [cached.get(self._key(head)) for head in self.heads]

    def work(self, seconds: float) -> None:
        """Measure what is not known yet, for about so long: at least one head, by one reader at a time."""
        started = time.perf_counter()
        for head, scores in zip(self.heads, self.known()):
            if scores is None:
                made(*self._key(head), partial(self._measure, head))
                if time.perf_counter() - started >= seconds:
                    return

    def _measure(self, head: HeadName | None, model: EncoderDecoder) -> Scores:
        pairs = self.task.held_out(self.sentences)
        encoded = made(self.at_hand, ("memory", self.sentences), partial(memory_of, pairs=pairs))
        off = None if head is None else Head(path(head.kind, head.layer), head.head)
        return scores_without(model, pairs, encoded, off)

    def _key(self, head: HeadName | None) -> tuple[ModelAtHand, Hashable]:
        return self.at_hand, ("ablation", self.sentences, head)
