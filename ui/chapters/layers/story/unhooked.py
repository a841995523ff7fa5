"""The residuals of the encoder are taken away: what becomes of the word, and of the output."""

from ui.chapters.layers.story.belt import shown_at
from ui.chapters.layers.story.stream import SHOWN, LayersStoryValues
from ui.figures import number
from ui.sections.scene import Actor, Beat, Box, Grid, Stage, Told, Word, breadth, end_of, fitting, flowing

STOPS = 5  # that have room
LINES = 3  # of an output, on the narrow stage


def fading(v: LayersStoryValues, stage: Stage) -> Told:
    """The strip at each stop with the belt on the left, without it on the right, and how like its start it is."""
    stops = shown_at(len(v.stops), STOPS)
    names = [
        v.say("story.start"),
        *(v.say(f"story.{('attention', 'network')[at % 2]}_name") for at in range(len(v.added))),
    ]
    left = 130 if stage.wide else 58
    half = (stage.width - left) / 2
    tall = min(76.0, (stage.height - 76) / len(stops) - 22)
    step = (stage.height - 76) / len(stops)
    figure = 62 if stage.wide else 40
    wide = half - figure - 22
    end = end_of(v.stops, v.unhooked)
    size = fitting(names, left - 12, 16, 7)
    sides = {"hooked": (v.stops, v.like, "encoder"), "unhooked": (v.unhooked, v.like_unhooked, "wrong")}

    def y(place: int) -> float:
        return 66 + step * (place + 0.5)

    labels: list[Actor] = [
        Word(f"stop {at}", left - 10, y(place), names[at], size=size, align="right", color="quiet")
        for place, at in enumerate(stops)
    ]
    word = Word("word", left - 10, 24, v.word, weight=600, color="encoder", align="right").fit(left - 12, 19, 8)

    def side(which: str, upto: int) -> list[Actor]:
        table, like, color = sides[which]
        x = left + (0 if which == "hooked" else half)
        text = v.say(f"story.{which}")
        shown: list[Actor] = [
            Word(f"side {which}", x + wide / 2, 24, text, color=color).fit(half - 12, 17, 8),
            Word(f"like {which}", x + wide + 8, 48, v.say("story.like"), align="left",
                 color="quiet").fit(half - wide - 10, 13, 7),
        ]  # fmt: skip
        for place, at in enumerate(stops[:upto]):
            before = f"{which} {stops[place - 1]}" if place else ("hooked 0" if which == "unhooked" else "x 2")
            shown.append(
                Grid(f"{which} {at}", x, y(place) - tall / 2, wide, tall, table[None, at, :SHOWN], end=end, rim=color,
                     born=before)
            )  # fmt: skip
            reach = max(1.0, figure * abs(float(like[at])))
            shown.append(Box(f"bar {which} {at}", x + wide + 8, y(place) + 4, reach, 9, color=color))
            shown.append(
                Word(f"share {which} {at}", x + wide + 8, y(place) - 8, number(float(like[at]), 2),
                     size=15 if stage.wide else 12, align="left", color=color)
            )  # fmt: skip
        return shown

    full = side("hooked", len(stops))
    bare = (side("unhooked", upto) for upto in range(1, len(stops) + 1))
    pace = 2.4 / len(stops)
    beats = [Beat((word, *labels, *full), 0.6, 0.6), *(Beat((word, *labels, *full, *one), pace, 0.1) for one in bare)]
    with_it, without = float(v.like[-1]), float(v.like_unhooked[-1])
    said = {"word": v.word, "hooked": number(with_it, 2), "unhooked": number(without, 2), "sums": len(v.added)}
    link = {"open": "stream", "stream": "encoder"}
    origin = v.origin(f"encoder.layers.*.sublayer.*.output, without_residual × {len(v.added)}")
    return Told(tuple(beats), origin, said, link, "" if abs(without) < abs(with_it) else "kept")


def output(v: LayersStoryValues, stage: Stage) -> Told:
    left, right = 24, stage.width - 24
    spoken = {"source": v.words, "hooked": v.before, "unhooked": v.after}
    colors = {"source": "quiet", "hooked": "encoder", "unhooked": "wrong"}
    size = min(_size(texts, right - left, stage) for texts in spoken.values())
    places = {which: flowing(texts, left + 0.5 * size, right, size, 1.5 * size) for which, texts in spoken.items()}
    lines = {which: 1 + of[-1][1] for which, of in places.items()}
    deep = 1.7 * size + (22 if stage.wide else 12)  # of a line of chips, with glosses
    rest = (stage.height - deep * sum(lines.values())) / 3
    drawn: dict[str, list[Actor]] = {}
    top = 0.0
    for which, texts in spoken.items():
        heading = v.say(f"story.{which}")
        name, color = f"side {which}", colors[which]
        drawn[which] = [
            Word(name, left, top + rest / 2, heading, size=16, color=color, align="left"),
            *(
                Word(f"{which} word {at}", x, top + rest + (down + 0.3) * deep, text, size=size, chip=color,
                     gloss=v.glosses.get(text, ""), born=name)
                for at, (text, (x, down)) in enumerate(zip(texts, places[which]))
            ),
        ]  # fmt: skip
        top += rest + deep * lines[which]
    source, hooked, unhooked = drawn.values()
    beats = (
        Beat(tuple(source), 0.5, 0.2),
        Beat((*source, *hooked), 0.7, 0.5),
        Beat((*source, *hooked, *unhooked), 0.9, 0.6),
    )
    origin = v.at_hand.provenance(f"greedy_decode, without_residual × {len(v.added)}", len(v.after))
    words = "same" if v.before == v.after else ""
    return Told(beats, origin, {"sums": len(v.added)}, {"open": "stream", "stream": "encoder"}, words)


def _size(texts: list[str], room: float, stage: Stage) -> float:
    """Of letters at which the chips of a line have room: one line on the wide stage, LINES on the narrow one."""
    total = sum(breadth(text) + 1.5 for text in texts)
    lines = 1 if stage.wide else LINES
    return max(8.0, min(24.0 if stage.wide else 14.0, 0.92 * lines * room / total))
