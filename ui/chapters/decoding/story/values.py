"""What the story shows: the output that the model writes, one that parts from it, and one pass over the answer."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from transformer_core import PAD, START
from ui.chapters.decoding.lane_values import Pass, pass_over
from ui.chapters.decoding.values import Turn, turns_of
from ui.chapters.shared.forced_prefix import Tokens
from ui.frame.chapter import Chapter
from ui.model.answer import answer
from ui.model.at_hand import ModelAtHand
from ui.page.typed import typed
from ui.text import Words, is_han

SHOWN = 5  # tokens that have a bar


@dataclass(frozen=True)
class Fork:
    """An output in which the second-best token is written at a turn, and the rest decoded anew."""

    turn: int  # counted from 1
    token: int
    turns: list[Turn]

    @property
    def prefix(self) -> Tokens:
        """What is written up to that token, with it."""
        return tuple(self.turns[-1].output[1 : self.turn + 1])

    @property
    def rest(self) -> list[int]:
        """What is written after it."""
        return self.turns[-1].output[self.turn + 1 :]


@dataclass(frozen=True)
class Values:
    say: Words
    at_hand: ModelAtHand
    glosses: Mapping[str, str]
    src: Tokens
    turns: list[Turn]  # of what the model says by itself
    fork: Fork
    right: Tokens  # the answer, the start symbol first, or else what the model says
    known: bool  # whether that is the task's answer
    forced: Pass  # over all of it but its last token

    def named(self, tokens: Sequence[int]) -> list[str]:
        return self.at_hand.target.labels(list(tokens))

    @property
    def output(self) -> list[int]:
        return self.turns[-1].output

    @property
    def rest(self) -> list[int]:
        """What the model itself writes after the turn at which the other output parts from it."""
        return self.output[self.fork.turn + 1 :]

    @property
    def columns(self) -> int:
        """Of the longest of the outputs, its start symbol not counted."""
        return max(len(self.turns), len(self.fork.turns), len(self.right) - 1)

    def link(self, turn: int, prefix: Tokens = (), **more: str) -> dict[str, str]:
        every = self.at_hand.target.every
        return {"start": str(START), "turn": str(turn), "prefix": " ".join(every[each] for each in prefix)} | more


def values(chapter: Chapter[Any]) -> Values | None:
    src, at_hand = typed(chapter, "src"), chapter.at_hand
    if len(src) < 2:
        return None
    turns, right = turns_of(at_hand, src, START), (START, *answer(at_hand, src)[1:])
    known = at_hand.config.answer(src) is not None
    parted, forced = parting(at_hand, src, turns), pass_over(at_hand, src, right[:-1])
    return Values(chapter.say, at_hand, chapter.glosses, src, turns, parted, right, known, forced)


def parting(at_hand: ModelAtHand, src: Tokens, turns: list[Turn]) -> Fork:
    """The earliest turn whose second-best token makes the most of the words that would have come after it vanish.

    Where a model writes two languages, an output that mixes them is taken only if all do.
    """
    written = turns[-1].output
    every = [_forced(at_hand, src, turns, turn) for turn in range(1, len(turns) + 1)]
    pure = [each for each in every if _languages(at_hand, each.turns[-1].output) <= _languages(at_hand, written)]
    return max(pure or every, key=lambda each: (lost(written[each.turn + 1 :], each.rest), -each.turn))


def lost(before: Sequence[int], after: Sequence[int]) -> int:
    """How many of the tokens are not there any more, each as often as it stands there."""
    return (Counter(before) - Counter(after)).total()


def _forced(at_hand: ModelAtHand, src: Tokens, turns: list[Turn], turn: int) -> Fork:
    now = turns[turn - 1]
    token = second(now)
    return Fork(turn, token, turns_of(at_hand, src, START, (*now.given[1:], token)))


def second(turn: Turn) -> int:
    """The likeliest token beside the one that is chosen."""
    order = np.argsort(-turn.probabilities, kind="stable")
    return int(next(token for token in order if token != turn.choice))


def _languages(at_hand: ModelAtHand, tokens: Sequence[int]) -> set[bool]:
    target = at_hand.target
    return {is_han(target.every[token]) for token in tokens if token not in (PAD, START, target.end)}
