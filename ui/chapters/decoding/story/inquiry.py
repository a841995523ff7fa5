"""What the story of decoding asks: what becomes of an output with another token in it; and the same at another turn."""

from transformer_core import START
from ui.chapters.decoding.story.values import DecodingStoryValues, second
from ui.chapters.decoding.values import turns_of
from ui.sections import Choice
from ui.sections.inquiry import Inquiry, Version, first_of

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
