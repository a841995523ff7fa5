"""All heads of all attentions, each a small table of its shares."""

from ui.chapters.heads.story.chosen import HeadsStoryValues
from ui.chapters.shared.attention_values import path
from ui.sections.scene import Actor, Beat, Grid, Stage, Told, Word, fitting, pace
from ui.settings.kinds import KINDS


def wall(v: HeadsStoryValues, stage: Stage) -> Told:
    layers, heads = v.at_hand.config.N, v.at_hand.config.h
    left, top = (112.0, 26.0) if stage.wide else (52.0, 22.0)
    names = [v.say(f"story.{kind}") for kind in KINDS]
    across = (stage.width - left - 8) / (layers * heads)
    down = (stage.height - top - 6) / len(KINDS)
    high = min(0.88 * down, 1.4 * 0.92 * across)
    side = min(0.92 * across, 1.9 * high)
    size = fitting(names, left - 14, 18, 7)
    labels: list[Actor] = []
    for line, name in enumerate(names):
        y = top + (line + 0.5) * down
        labels.append(Word(f"kind {line}", left - 10, y, name, size=size, align="right"))
    for at in range(layers * heads):
        text = f"{at // heads}·{at % heads}"
        x = left + (at + 0.5) * across
        labels.append(Word(f"column {at}", x, 12, text, color="quiet").fit(across - 2, 15, 6))
    drawn: list[list[Actor]] = []
    for line, kind in enumerate(KINDS):
        row: list[Actor] = []
        for at in range(layers * heads):
            layer, head = divmod(at, heads)
            here = kind == "cross" and layer == v.written.layer
            rim, born = "chosen" if here and head == v.written.head else "", f"number {at}" if here else ""
            x, y = left + (at + 0.5) * across - side / 2, top + (line + 0.5) * down - high / 2
            weights = v.trace[f"{path(kind, layer)}.weights"][0, head].numpy()
            row.append(Grid(f"grid {kind} {at}", x, y, side, high, weights, shares=True, rim=rim, born=born))
        drawn.append(row)
    crossing, others = drawn[-1], drawn[:-1]
    glide, rest = pace(len(others), 1.6)
    beats = [Beat((*labels, *crossing), 0.9, 0.6)]
    shown = [*labels, *crossing]
    for row in others:
        shown += row
        beats.append(Beat(tuple(shown), glide + 0.3, rest))
    count = len(KINDS) * layers * heads
    origin = v.at_hand.provenance("*.layers.*.*_attn.weights", len(KINDS), layers, heads)
    name = f"cross.{v.written.layer}.{v.written.head}"
    best = int(v.weights[v.written.head, v.row].argmax())
    return Told(tuple(beats), origin, {"count": count}, {"cell": f"{name}.{v.row}.{best}"} | dict(v.link))
