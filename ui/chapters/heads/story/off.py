"""One head is switched off: what is written then, and how often that matters, head by head."""

from dataclasses import replace

import numpy as np

from ui.chapters.heads.story.beams import TOP, BeamLayout
from ui.chapters.heads.story.chosen import HeadsStoryValues
from ui.chapters.heads.what_if.outcome import in_both
from ui.sections.scene import Actor, Beat, Line, Stage, Told, Word, bar, centres, fitting


def off(v: HeadsStoryValues, stage: Stage) -> Told:
    """The output as it was goes up; below it the new one, of which what stays glides down."""
    at, head, row = BeamLayout(v, stage), v.written.head, v.row
    lines = 1 + max(line for _, line in at.spots(v.before))
    high, low = (24.0, 24.0 + lines * at.line + (14 if stage.wide else 10))
    stays, stayed = in_both(tuple(v.written.before[1:]), tuple(v.written.after[1:]))
    old = [replace(word, born=f"out {place}") for place, word in enumerate(at.output(v.before, high, color="quiet"))]
    old = [replace(word, name=f"old {place}") for place, word in enumerate(old)]
    names = dict(zip(sorted(stayed), sorted(stays)))  # what stays is the same actor, and glides
    new = [
        replace(word, name=f"out {names[place]}", color="text", weight=400)
        if place in stayed
        else replace(word, name=f"new {place}", color="wrong", weight=600)
        for place, word in enumerate(at.output(v.after, low))
    ]
    spare = len(v.after) - 1 if v.after else 0
    at_row = min(row, max(0, spare))
    start = at.below(row, v.before, TOP)
    still = at.source()
    begun = at.below(at_row, v.after, low) if v.after else start
    beats = (
        Beat((*still, *at.output(v.before, TOP, row), *at.heads(), *at.beams(row, start)), 0.6, 0.6),
        Beat((*still, *at.output(v.before, TOP, row), *at.heads(off=head), *at.beams(row, start, off=head)), 0.7, 0.6),
        Beat((*still, *old, *new, *at.heads(off=head), *at.beams(row, begun, off=head)), 1.0, 1.2),
    )
    said = {"head": head, "layer": v.written.layer, "word": v.before[row], "heads": v.kept.size}
    said |= {"instead": v.after[row] if row < len(v.after) else "—"}
    link = {"open": "what_if", "hurts": "decoder", "if_how": "off", "if_kind": "cross"}
    link |= {"if_layer": str(v.written.layer), "if_head": str(head)} | dict(v.link)
    origin = f"{v.origin} · head_off(…, {head})"
    return Told(beats, origin, said, link, "" if v.changes else "none")


def often(v: HeadsStoryValues, stage: Stage) -> Told:
    """A bar for each head of every cross-attention: of how many sentences it may be switched off."""
    layers, heads = v.kept.shape
    kept = v.kept.reshape(-1)
    left, right = (70.0, stage.width - 70) if stage.wide else (14.0, stage.width - 14)
    columns = centres(kept.size, left, right)
    step = (right - left) / kept.size
    base, tall = stage.height - 66.0, stage.height - 128.0
    chosen = v.written.layer * heads + v.written.head
    names = [str(at % heads) if layers == 1 else f"{at // heads}·{at % heads}" for at in range(kept.size)]
    size, small = fitting(names, step - 4, 19, 6), fitting([f"{v.sentences}"], step - 3, 18, 6)
    name = v.say("story.heads")
    title = v.say(f"story.{'unseen' if v.unseen else 'this'}", n=v.sentences)
    labels: list[Actor] = [
        Line("base", left, base, right, base, color="grid"),
        Line("all", left, base - tall, right, base - tall, color="quiet", dashed=True),
        Word("title", left, base - tall - 34, title, color="quiet", align="left").fit(right - left, 17, 8),
        Word("axis", (left + right) / 2, base + 46, name, color="quiet").fit(right - left, 16, 8),
    ]
    for at, (x, text) in enumerate(zip(columns, names)):
        lit = at == chosen
        born = f"head {at % heads}" if at // heads == v.written.layer else ""
        labels.append(
            Word(f"number {at}", x, base + 18, text, size=size, born=born, color="attention").lit(lit, "wrong")
        )

    def bars(counts: np.ndarray) -> list[Actor]:
        shown: list[Actor] = []
        for at, count in enumerate(counts.tolist()):
            high = tall * count / v.sentences
            color = "wrong" if at == chosen else "attention"
            shown.append(bar(f"bar {at}", columns[at], base, high, min(90.0, 0.6 * step), color))
            inside = high > 2 * small  # where the line of all sentences does not cross it
            shown.append(
                Word(f"count {at}", columns[at], base - high + (0.8 if inside else -0.8) * small, f"{count:.0f}",
                     size=small, color="background" if inside else "text", level=1)
            )  # fmt: skip
        return shown

    whole = np.full(kept.size, v.sentences)
    beats = (Beat((*labels, *bars(whole)), 0.7, 0.7), Beat((*labels, *bars(kept)), 1.2, 0.8))
    worst = int(kept.argmin())
    said = {
        "n": v.sentences,
        "head": names[worst],
        "least": int(kept.min()),
        "most": int(kept.max()),
        "heads": kept.size,
        "still": int((kept == v.sentences).sum()),
    }
    words = ("alike" if kept.min() == kept.max() else "") if v.unseen else "own"
    origin = v.at_hand.provenance("scores_without(decoder.layers.*.src_attn).right", *v.kept.shape, v.sentences)
    return Told(beats, origin, said, {"open": "ablation"} | dict(v.link), words)
