"""From figure 1 to GPT, told: the map loses its left half, the same words become one row, and the GPT writes it; then
the BERT fills in a covered word."""

from collections.abc import Sequence
from dataclasses import replace

from ui.chapters.gpt.story_values import REACHED, GptStoryValues
from ui.figures import percent
from ui.figures.actors import Actor, Beat, Box, Line, Stage, Word
from ui.sections.scene import Columns, Told, fitting, pace, sizes, story

AT = sizes(
    left=((250, 170), (92, 164)),  # middle and width of the encoder
    right=((710, 170), (268, 164)),  # of the decoder
    alone=((480, 190), (180, 190)),  # of the stack that is left
    floor=(288, 318),  # top of the lowest block
    step=(58, 62),
    tall=(40, 40),
    row=(362, 404),  # middle of the words
    most=(22, 15),  # letters
    low=(312, 330),  # middle of the words where arcs stand above
)
LEAST = 0.02  # a weight that is drawn
ENCODER = ("embedding", "attention", "network")
DECODER = ("embedding", "masked", "cross", "network", "softmax")
GPT = ("embedding", "masked", "network", "softmax")
BERT = ("embedding", "attention", "network", "softmax")


def _stack(
    v: GptStoryValues, stage: Stage, name: str, blocks: Sequence[str], where: tuple[float, float], color: str
) -> list[Actor]:
    """Blocks one above the other, with the arrows between them; a block keeps its name wherever it stands."""
    at, (middle, wide) = AT.on(stage), where
    shown: list[Actor] = []
    for place, block in enumerate(blocks):
        top = at.floor - place * at.step
        label = Word(f"label {name} {block}", middle, top + at.tall / 2, v.say(f"block.{block}"), color=color)
        shown += [
            Box(f"{name} {block}", middle - wide / 2, top, wide, at.tall, color=color, filled=False, radius=6),
            label.fit(wide - 12, at.most * 0.8),
        ]
        if place:
            below = top + at.step
            shown.append(Line(f"up {name} {block}", middle, below, middle, top + at.tall, arrow=True))
    return shown


def _words(v: GptStoryValues, stage: Stage, places: Sequence[int], left: float, right: float, y: float) -> list[Word]:
    """Some words of the row in equal columns; those of the sentence in the encoder's colour, of the answer in the
    decoder's."""
    columns = Columns(len(places), left, right)
    size = fitting([v.names[place] for place in places], columns.step - 4, AT.on(stage).most)
    return [
        Word(
            f"word {place}", x, y, v.names[place], color=_color(v, place), gloss=v.glosses.get(v.names[place], ""),
            room=columns.step, size=size,
        )
        for place, x in zip(places, columns.middles)
    ]  # fmt: skip


def _color(v: GptStoryValues, place: int) -> str:
    return "encoder" if place < v.equals else "text" if place == v.equals else "decoder"


def _figure_one(v: GptStoryValues, stage: Stage) -> list[Actor]:
    at = AT.on(stage)
    (left, wide), (right, wide_too) = at.left, at.right
    cross, top = at.floor - 2 * at.step + at.tall / 2, at.floor - 2 * at.step
    source = range(v.equals)
    target = range(v.equals + 1, len(v.names))
    return [
        *_stack(v, stage, "encoder", ENCODER, at.left, "encoder"),
        *_stack(v, stage, "decoder", DECODER, at.right, "decoder"),
        Line("memory", left + wide / 2, top + at.tall / 2, right - wide_too / 2, cross, color="encoder", width=2.5,
             arrow=True),
        *_words(v, stage, source, left - wide / 2, left + wide / 2, at.row),
        *_words(v, stage, target, right - wide_too / 2, right + wide_too / 2, at.row),
    ]  # fmt: skip


def whole(v: GptStoryValues, stage: Stage) -> Told:
    at, shown = AT.on(stage), _figure_one(v, stage)
    encoder = [actor for actor in shown if "encoder" in actor.name or actor.name in _source(v)]
    heads = [
        Word(f"title {name}", where[0], at.floor - (len(blocks) - 1) * at.step - 22, v.say(f"stack.{name}"),
             weight=600, color=name, size=at.most)
        for name, where, blocks in (("encoder", at.left, ENCODER), ("decoder", at.right, DECODER))
    ]  # fmt: skip
    beats = (
        Beat((*encoder, heads[0]), 0.6, 0.8),
        Beat((*shown, *heads), 0.8, 0.8),
    )
    return Told(beats, "encoder · decoder", {}, {"prompt": v.prompt})


def _source(v: GptStoryValues) -> list[str]:
    return [f"word {place}" for place in range(v.equals)]


def half(v: GptStoryValues, stage: Stage) -> Told:
    """The encoder goes, and what reads it; the rest moves together, and the words into one row."""
    at, shown = AT.on(stage), _figure_one(v, stage)
    gone = ("encoder ", "label encoder", "up encoder", "memory", "decoder cross", "label decoder cross",
            "up decoder cross", "up decoder network")  # fmt: skip
    left_over = [actor for actor in shown if not actor.name.startswith(gone)]
    alone = _stack(v, stage, "decoder", GPT, at.alone, "decoder")
    row = _words(v, stage, range(len(v.names)), 4, stage.width - 4, at.row)
    title = Word("title gpt", at.alone[0], at.floor - 3 * at.step - 26, "GPT", size=1.3 * at.most, weight=600,
                 color="decoder")  # fmt: skip
    faded = [replace(actor, opacity=0.15) if actor.name.startswith(gone) else actor for actor in shown]
    beats = (
        Beat(tuple(shown), 0.5, 0.3),
        Beat(tuple(faded), 0.7, 0.4),
        Beat((*alone, *[actor for actor in left_over if actor.name.startswith("word")]), 0.9, 0.3),
        Beat((*alone, *row, title), 0.9, 0.6),
    )
    said = {"two": f"{v.sizes[0]:,}", "one": f"{v.sizes[1]:,}"}
    return Told(beats, "make_model → make_gpt", said, {"prompt": v.prompt})


def _arcs(columns: Columns, place: int, weights: Sequence[float], y: float, high: float, color: str) -> list[Actor]:
    """From the words that a place attends to, as wide as their weights; none is higher than `high`."""
    x, step = columns.middles, 2 * high / max(1, columns.count - 1)  # a line rises by half its bend
    return [
        Line(
            f"arc {key}", x[key], y, x[place], y, color=color, width=max(0.7, 7 * weight), bend=step * (key - place),
        )
        for key, weight in enumerate(weights)
        if weight >= LEAST and key != place
    ]  # fmt: skip


def row(v: GptStoryValues, stage: Stage) -> Told:
    """Word after word of the translation, up to the one that the clearest head writes."""
    at, whole_row = AT.on(stage), _words(v, stage, range(len(v.names)), 4, stage.width - 4, AT.on(stage).low)
    columns, high = Columns(len(v.names), 4, stage.width - 4), at.low - 120
    beats = [Beat(tuple(whole_row[: v.equals + 1]), 0.6, 0.3)]
    told = [look for look in v.looks if look.place <= v.look.place]
    for look in told:
        weights = v.weights[look.layer, look.head, look.place + 1, 1 : look.place + 2].tolist()
        read = [word.lit(n == look.key) for n, word in enumerate(whole_row[: look.place + 1])]
        peak = at.low - 20 - high * (look.place - look.key) / max(1, columns.count - 1)
        middle = (columns.middles[look.key] + columns.middles[look.place]) / 2
        word = f"→ {v.names[look.place + 1]}"
        guess = Word("next", columns.middles[look.place + 1], at.low, word, color="decoder", weight=600)
        shown = (
            *read,
            *_arcs(columns, look.place, weights, at.low - 18, high, "attention"),
            Word("head", 12, 24, v.say("story.head", layer=look.layer, head=look.head), align="left", color="quiet",
                 size=0.8 * at.most),
            Word("share", middle, peak - 16, percent(look.weight, 0), weight=600, color="attention", size=at.most),
            guess.fit(columns.step, at.most),
        )  # fmt: skip
        beats.append(Beat(shown, 0.5, 0.4 if look is v.look else 0.1))
    look = v.look
    said = {"word": v.names[look.place + 1], "other": v.names[look.key], "share": percent(look.weight, 0),
            "layer": look.layer, "head": look.head}  # fmt: skip
    link = {"prompt": v.prompt, "open": "one_row", "row_layer": str(look.layer), "row_head": str(look.head),
            "row_cell": f"weights.{look.place + 1}.{look.key + 1}"}  # fmt: skip
    return Told(tuple(beats), f"decoder.layers.{look.layer}.self_attn.weights", said, link)


def _bars(stage: Stage, best: Sequence[tuple[str, float]], x: float, color: str) -> list[Actor]:
    """The most probable words with their probabilities, one below the other."""
    at, long = AT.on(stage), 0.3 * stage.width
    shown: list[Actor] = []
    for n, (name, value) in enumerate(best):
        y = 70 + n * 38
        shown += [
            Word(f"best {n}", x - 10, y, name, align="right", size=at.most, color=color, weight=600 if n == 0 else 400),
            Box(f"bar {n}", x, y - 10, max(1.5, long * value), 20, color=color, opacity=1.0 if n == 0 else 0.45),
            Word(f"value {n}", x + long * value + 8, y, percent(value, 0), align="left", size=0.8 * at.most,
                 color="quiet"),
        ]  # fmt: skip
    return shown


def writes(v: GptStoryValues, stage: Stage) -> Told:
    at = AT.on(stage)
    words = _words(v, stage, range(len(v.names)), 4, stage.width - 4, at.low)
    beats = [Beat(tuple(words[: v.equals + 1]), 0.6, 0.3)]
    turns = range(v.equals, len(v.names) - 1)
    for place in turns:
        bars = _bars(stage, v.next_words(place), 0.42 * stage.width, "decoder")
        glide, rest = pace(2 * len(turns), 4) if place > v.equals else (0.5, 0.4)
        beats.append(Beat((*words[: place + 1], *bars), glide, rest))
        new = replace(words[place + 1], born="best 0")
        beats.append(Beat((*words[: place + 1], new, *bars), glide, rest))
    last = v.next_words(turns[-1])[0]
    said = {"word": last[0], "share": percent(last[1], 0), "count": len(turns)}
    link = {"prompt": v.prompt, "written": str(len(turns))}
    return Told(tuple(beats), f"cached_continued(model, prompt, {len(v.row) + 1})", said, link)


def fills(v: GptStoryValues, stage: Stage) -> Told:
    at = AT.on(stage)
    best, weights = v.filled
    columns = Columns(len(v.names), 4, stage.width - 4)
    words = _words(v, stage, range(len(v.names)), 4, stage.width - 4, at.low)
    x = columns.middles[v.covered]
    left, wide = x - columns.step / 2 + 2, columns.step - 4
    card = Box("card", left, at.low - 14, wide, 28, color="grid", hatched=True, radius=3, level=1)
    seen = [word for place, word in enumerate(words) if place != v.covered]
    arcs = _arcs(columns, v.covered, weights.tolist(), at.low - 18, 70, "encoder")
    bars = _bars(stage, best, 0.42 * stage.width, "encoder")
    blocks = _stack(v, stage, "decoder", GPT, at.alone, "decoder")
    stack = _stack(v, stage, "encoder", BERT, at.alone, "encoder")
    top = at.floor - 3 * at.step - 26
    named = {name: Word(f"title {name}", at.alone[0], top, name.upper(), size=1.3 * at.most, weight=600, color=color)
             for name, color in (("gpt", "decoder"), ("bert", "encoder"))}  # fmt: skip
    below = _words(v, stage, range(len(v.names)), 4, stage.width - 4, at.row)
    beats = (
        Beat((*blocks, named["gpt"], *below), 0.4, 0.2),
        Beat((*stack, named["bert"], *below), 0.8, 0.5),
        Beat((*words, card), 0.8, 0.3),
        Beat((*seen, card, *arcs), 0.7, 0.3),
        Beat((*seen, card, *arcs, *bars), 0.7, 0.6),
    )
    said = {"word": best[0][0], "share": percent(best[0][1], 0), "second": best[1][0]}
    link = {"sentence": " ".join(v.names), "covered": str(v.covered), "open": "fill"}
    return Told(beats, f"{v.bert} · generator.log_probs", said, link)


STORY = story(GptStoryValues, (whole, half, row, writes, fills), {"half": REACHED}, poster=half, fixed=True)
