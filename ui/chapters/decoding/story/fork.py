"""Another future: the second-best token of a turn is written, and the rest decoded anew."""

from ui.chapters.decoding.story.places import DecodingLayout
from ui.chapters.decoding.story.values import DecodingStoryValues
from ui.figures import percent
from ui.sections.scene import Actor, Beat, Line, Stage, Told, pace


def branch(v: DecodingStoryValues, at: DecodingLayout, upto: int, row: float) -> list[Actor]:
    """Of the other output the tokens from the turn at which it parts to turn `upto`, in a row of their own."""
    names, parts = v.named(v.fork.turns[-1].output)[1:], v.fork.turn
    first, rest = parts - 1, range(parts, upto)
    chosen = at.word(f"other {first}", names[first], first, row, "chosen", born="token 1")
    return [chosen, *(at.word(f"other {n}", names[n], n, row, born="token 0") for n in rest)]


def fork(v: DecodingStoryValues, stage: Stage) -> Told:
    at, parts, turns = DecodingLayout.of(v, stage), v.fork.turn, v.fork.turns
    now = v.turns[parts - 1]
    still = [*at.names("writes", "reads", "source"), *at.sources()]
    order = sorted(range(len(now.probabilities)), key=lambda token: -float(now.probabilities[token]))
    rank = order.index(v.fork.token)
    before = [*still, *at.read(now.given), *at.staircase(parts)]
    dimmed = at.written(v.output, dim=parts)
    fell: list[Actor] = []
    if parts > 1:
        x, to = at.columns[parts - 2], at.columns[parts - 1] - at.step / 2
        fell = [Line("parts", x, at.writes + at.size, to, at.other, bend=at.step / 5, color="chosen")]
    beats = [
        Beat((*before, *at.chances(now), *at.written(v.output)), 0.5, 0.3),
        Beat((*before, *at.chances(now, lit=rank), *at.written(v.output)), 0.4, 0.5),
        Beat((*before, *at.chances(now, lit=rank), *dimmed, *fell, *branch(v, at, parts, at.other)), 0.8, 0.5),
    ]
    fast = pace(len(turns) - parts, 2.0)
    for turn in turns[parts:]:
        read = at.read(turn.given, **{f"at_{len(turn.given) - 1}": f"other {len(turn.given) - 2}"})
        shown = [*still, *read, *at.staircase(len(turn.given)), *at.chances(turn), *dimmed, *fell]
        slow = len(turn.given) == parts + 1
        count = len(turn.given) if turn is turns[-1] else len(turn.given) - 1
        beats.append(Beat((*shown, *branch(v, at, len(turn.given) - 1, at.other)), *((0.6, 0.3) if slow else fast)))
        if turn is turns[-1]:
            beats.append(Beat((*shown, *branch(v, at, count, at.other)), 0.4, 0.6))
    same = v.rest == v.fork.rest
    said = {"turn": parts, "loser": v.named([now.given[0], v.fork.token])[1]}
    said |= {"share": percent(float(now.probabilities[v.fork.token])), "rest": " ".join(v.named([0, *v.fork.rest])[1:])}
    origin = v.at_hand.provenance("generator.log_probs", len(turns), len(now.logits))
    link = v.link(min(parts + 1, len(turns)), v.fork.prefix)
    return Told(
        tuple(beats), f"greedy_steps(prefix={list(v.fork.prefix)}) · {origin}", said, link, "same" if same else ""
    )
