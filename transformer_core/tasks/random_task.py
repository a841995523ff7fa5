"""The random task: answers that have nothing to do with their sources, so that there is no rule to learn.

What such a model learns it has memorised (Zhang et al. 2017, "Understanding deep learning requires rethinking
generalization", section 2). The paper has no such task.
"""

from collections.abc import Sequence

import torch

from transformer_core.devices import device_of
from transformer_core.tasks.batch import Pairs
from transformer_core.tasks.copy_task import copy_sequences
from transformer_core.tasks.vocabulary import Vocabulary

TRAINED = 32  # pairs that a run trains on, again and again
HELD_OUT = 32  # pairs that it never trains on


def random_pairs(
    V: int, count: int, length: int = 10, min_length: int | None = None, generator: torch.Generator | None = None
) -> Pairs:
    """`count` pairs of sequences as in the copy task, but the target is drawn on its own: (count, length) each.

    Only START is shared. Whatever a model makes of an unseen source, its loss on the other tokens of an unseen target
    is on average no less than ln(V - 1).
    """
    src = copy_sequences(V, count, length, min_length, generator)
    return Pairs(src, copy_sequences(V, count, length, min_length, generator))


def some_of(pairs: Pairs, count: int, generator: torch.Generator | None = None) -> Pairs:
    """`count` of the pairs, drawn with replacement."""
    drawn = torch.randint(len(pairs.src), (count,), generator=generator, device=device_of(generator))
    rows = drawn.to(pairs.src.device)
    return Pairs(pairs.src[rows], pairs.tgt[rows])


class RandomAnswers:
    """A few pairs without a rule, learned again and again, and as many that are never seen.

    Both are drawn when the task is made, the first from `generator`, the others from `unseen`.
    """

    name = "random"

    def __init__(
        self,
        vocab: int,
        length: int = 10,
        min_length: int | None = None,
        generator: torch.Generator | None = None,
        unseen: torch.Generator | None = None,
    ) -> None:
        self.source = self.target = Vocabulary.of_numbers(vocab)
        self.longest = length, length
        self.trained = random_pairs(vocab, TRAINED, length, min_length, generator)
        self.unseen = random_pairs(vocab, HELD_OUT, length, min_length, unseen)

    def pairs(self, count: int, generator: torch.Generator | None = None) -> Pairs:
        return some_of(self.trained, count, generator)

    def held_out(self, count: int) -> Pairs:
        """ValueError if there are fewer."""
        if count > HELD_OUT:
            raise ValueError(f"{HELD_OUT} pairs are held out, not {count}")
        return Pairs(self.unseen.src[:count], self.unseen.tgt[:count])

    def answer(self, source: Sequence[int]) -> list[int] | None:
        return None

    def alignment(self, source: Sequence[int], target: Sequence[int]) -> list[tuple[int, ...]] | None:
        return None
