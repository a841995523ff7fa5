"""What the story shows: the output that the model writes, one that parts from it, and one pass over the answer."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import torch

from transformer_core import PAD, START, EncoderDecoder, padding_mask
from transformer_core.decoding.loop import Outputs, memory_of, next_log_probs
from ui.chapters.decoding.lanes import Pass, pass_over
from ui.chapters.decoding.values import GreedyTurn, turns_of
from ui.chapters.shared.forced_prefix import Tokens
from ui.inputs.direction import direction_of
from ui.model import ModelAtHand, answer, made
from ui.sections import AnyChapter, Choice
from ui.sections.inquiry import Inquiry, Version, first_of
from ui.sections.sequence_fields import typed
from ui.text import Words

SHOWN = 5  # tokens that have a bar


@dataclass(frozen=True)
class Fork:
    """An output in which the second-best token is written at a turn, and the rest decoded anew."""

    turn: int  # counted from 1
    token: int
    turns: list[GreedyTurn]

    @property
    def prefix(self) -> Tokens:
        return tuple(self.turns[-1].output[1 : self.turn + 1])

    @property
    def rest(self) -> list[int]:
        return self.turns[-1].output[self.turn + 1 :]


@dataclass(frozen=True)
class DecodingStoryValues:
    say: Words
    at_hand: ModelAtHand
    glosses: Mapping[str, str]
    src: Tokens
    turns: list[GreedyTurn]  # of what the model says by itself
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


def values(chapter: AnyChapter) -> DecodingStoryValues | None:
    src, at_hand = typed(chapter, "src"), chapter.at_hand
    if len(src) < 2:
        return None
    turns, right = turns_of(at_hand, src, START), (START, *answer(at_hand, src)[1:])
    known = at_hand.config.answer(src) is not None
    parted, forced = parting(at_hand, src, turns), pass_over(at_hand, src, right[:-1])
    return DecodingStoryValues(
        say=chapter.say,
        at_hand=at_hand,
        glosses=chapter.glosses,
        src=src,
        turns=turns,
        fork=parted,
        right=right,
        known=known,
        forced=forced,
    )


def parting(at_hand: ModelAtHand, src: Tokens, turns: list[GreedyTurn]) -> Fork:
    """The earliest turn whose second-best token makes the most of the words that would have come after it vanish.

    Where a model writes two languages, an output that mixes them is taken only if all do.
    """
    written, tokens = turns[-1].output, tuple(map(second, turns))
    every = made(at_hand, ("futures", src, tokens), partial(_futures, at_hand, src, written, tokens))
    here = _languages(at_hand, written)
    pure = [turn for turn, future in every.items() if _languages(at_hand, future) <= here]
    turn = max(pure or every, key=lambda turn: (lost(written[turn + 1 :], every[turn][turn + 1 :]), -turn))
    token = tokens[turn - 1]
    return Fork(turn, token, turns_of(at_hand, src, START, (*turns[turn - 1].given[1:], token)))


def _futures(
    at_hand: ModelAtHand, src: Tokens, written: list[int], tokens: Tokens, model: EncoderDecoder
) -> dict[int, list[int]]:
    """Turn by turn the output that goes on from there with this token, all of them decoded together."""
    own, end, source = torch.tensor(written[1:]), at_hand.target.end, torch.tensor([src] * len(tokens))
    mask, parts = padding_mask(source, PAD), torch.arange(len(tokens))
    outputs, memory = Outputs(source, at_hand.most(src), START, end), memory_of(model, source, mask)
    for ys in outputs:
        now, choice = outputs.turn, next_log_probs(model, memory, mask, ys).argmax(-1)
        if now < len(tokens):
            choice[parts == now], choice[parts > now] = tokens[now], own[now]
        outputs.append(choice)
    every = [row[: row.index(end) + 1] if end in row else row for row in outputs.ys.tolist()]
    return dict(enumerate(every, 1))


def lost(before: Sequence[int], after: Sequence[int]) -> int:
    """How many of the tokens are not there any more, each as often as it stands there."""
    return (Counter(before) - Counter(after)).total()


def second(turn: GreedyTurn) -> int:
    """The likeliest token beside the one that is chosen."""
    order = np.argsort(-turn.probabilities, kind="stable")
    return int(next(token for token in order if token != turn.choice))


def _languages(at_hand: ModelAtHand, tokens: Sequence[int]) -> set[str]:
    target, words = at_hand.target, at_hand.words
    names = [target.every[token] for token in tokens if token not in (PAD, START, target.end)]
    written = [name for name in names if name.isalpha()]  # marks are of no language
    return set() if words is None else {direction_of(words, name) for name in written}


# What the story of decoding asks: what becomes of an output with another token in it; and the same at another turn.

FORK = Choice("story_fork", ("anew", "mended", "every"), right="anew")


def at_another(v: DecodingStoryValues, seed: int) -> Version | None:
    turns = [turn for turn in range(2, len(v.turns) + 1) if turn != v.fork.turn]
    return first_of(seed, turns, lambda turn: _at(v, turn))


def _at(v: DecodingStoryValues, turn: int) -> Version:
    """The output is decoded anew: what it has in common with the model's own is counted."""
    now = v.turns[turn - 1]
    other = turns_of(v.at_hand, v.src, START, (*now.given[1:], second(now)))[-1].output
    kept = next(at for at, (one, token) in enumerate(zip(v.output, other)) if one != token)
    every = v.at_hand.target.every
    said = {
        "turn": turn,
        "own": every[now.choice],
        "loser": every[second(now)],
        "words": " ".join(v.named(v.output[1:kept])),
        "output": " ".join(v.named(other[1:])),
    }
    return Version("anew", said)


FORKED = Inquiry(FORK, ("mends", "whole", "adds"), "adds", at_another)
