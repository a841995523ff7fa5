"""The loop: the likeliest token is written, and read again."""

from ui.chapters.decoding.story.places import DecodingLayout
from ui.chapters.decoding.story.values import DecodingStoryValues
from ui.chapters.decoding.values import GreedyTurn
from ui.figures import percent
from ui.sections.scene import Actor, Beat, Stage, Told, pace

SLOW = 2  # turns that are told step by step


def begin(v: DecodingStoryValues, stage: Stage) -> Told:
    at, first = DecodingLayout.of(v, stage), v.turns[0]
    given = [*at.names("reads", "source"), *at.sources(), *at.read(first.given)]
    beats = (
        Beat(tuple(given), 0.4, 0.6),
        Beat((*given, *at.staircase(1)), 0.5, 0.5),
        Beat((*given, *at.staircase(1), *at.chances(first)), 0.8, 0.6),
    )
    (word,) = v.named(first.output)[1:]
    share = percent(float(first.probabilities[first.choice]))
    said = {"tokens": len(v.at_hand.target), "word": word, "share": share}
    return Told(beats, v.at_hand.provenance("generator.log_probs", 1, len(first.logits)), said, v.link(1))


def _turn(at: DecodingLayout, turn: GreedyTurn, *more: Actor, born: str = "") -> list[Actor]:
    """What is read in a turn and what the model says of it; its last token comes from where it is `born`."""
    last = len(turn.given) - 1
    come = {f"at_{last}": born} if born else {}
    still = [*at.names("writes", "reads", "source"), *at.sources(), *at.staircase(len(turn.given))]
    return [*still, *at.read(turn.given, **come), *at.chances(turn), *more]


def loop(v: DecodingStoryValues, stage: Stage) -> Told:
    at, turns = DecodingLayout.of(v, stage), v.turns
    beats = [Beat((*_turn(at, turns[0]), *at.written(turns[0].output)), 0.8, 0.4)]
    fast = pace(len(turns) - SLOW, 2.5)
    for number, turn in enumerate(turns[1:], 1):
        slow = number < SLOW
        born = f"out {number - 1}" if slow else "token 0"
        beats.append(Beat((*_turn(at, turn, born=born), *at.written(turn.given)), *((0.6, 0.3) if slow else fast)))
        if slow and number + 1 < len(turns):
            beats.append(Beat((*_turn(at, turn), *at.written(turn.output)), 0.7, 0.3))
    beats.append(Beat((*_turn(at, turns[-1]), *at.written(v.output)), 0.5, 0.6))
    ended = v.output[-1] == v.at_hand.target.end
    said = {"turns": len(turns), "last": v.named(v.output)[-1]}
    origin = v.at_hand.provenance("generator.log_probs", len(turns), len(turns[0].logits))
    return Told(tuple(beats), f"ys · {origin}", said, v.link(len(turns)), "" if ended else "full")
