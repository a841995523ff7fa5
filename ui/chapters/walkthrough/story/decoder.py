"""The output: what is written so far attends to itself and to the source, and its last row names the next token."""

import numpy as np

from ui.chapters.walkthrough.story.encoder import Items
from ui.chapters.walkthrough.story.places import Item, WalkthroughLayout
from ui.chapters.walkthrough.story.values import DECODER, WalkthroughStoryValues
from ui.figures import percent
from ui.sections.scene import Actor, Beat, Line, Stage, Told, Word, bar, centres, end_of, fitting

OWN, CROSS = f"{DECODER}.self_attn", f"{DECODER}.src_attn"
SHOWN = 8  # tokens that have a column: the likeliest


def ask(v: WalkthroughStoryValues, stage: Stage) -> Told:
    at, last, written = WalkthroughLayout(v, stage), v.turn - 1, tuple(v.written)
    inside = Item(
        "own", v.table(f"{OWN}.weights"), v.say("story.masked"), "attention", shares=True, lit=last, rows=written
    )
    query, key = v.table(f"{CROSS}.query"), v.table(f"{CROSS}.key")
    end = end_of(query, key)
    asking = Item("cross query", query, v.say("story.query"), "query", end, lit=last, rows=written)
    asked = Item("cross key", key.T, v.say("story.memory_key"), "key", end)
    table = v.table(f"{CROSS}.weights")
    shares = Item("cross", table, v.say("story.looks"), "attention", shares=True, lit=last, rows=written)
    beats = [
        Beat((*at.figure("masked"), *at.operation(inside)), 0.6, 0.5, v.link(f"{OWN}.weights")),
        Beat((*at.figure("cross"), *at.operation(asking, "×", asked)), 0.6, 0.3, v.link(f"{CROSS}.query")),
        Beat((*at.figure("cross"), *at.operation(asking, "×", asked, shares)), 0.6, 0.4),
    ]
    most = int(table[-1].argmax())
    told = {"count": v.turn, "last": v.written[-1], "most": v.words[most], "share": percent(float(table[-1, most]))}
    made = f"{CROSS}.weights"
    return Told(tuple(beats), v.origin(f"{OWN}.weights", made), told, v.link(made))


def _likeliest(v: WalkthroughStoryValues) -> list[int]:
    return [int(token) for token in np.argsort(-v.table("generator.log_probs")[0], kind="stable")[:SHOWN]]


def choose(v: WalkthroughStoryValues, stage: Stage) -> Told:
    at, tokens = WalkthroughLayout(v, stage), _likeliest(v)
    probabilities = np.exp(v.table("generator.log_probs")[0])
    row = v.table("last")
    last = Item("last", row, v.say("story.last"), "decoder", end_of(row))
    weight = v.weight("generator.proj.weight")
    matrix = Item("W out", weight, v.say("story.out"), "attention", end_of(weight), learned=True)
    steps: list[tuple[str, str, list[Actor]]] = [
        ("last", "linear", at.operation(last)),
        (
            "generator.logits",
            "linear",
            [*at.operation(last, "×", matrix), *_bars(v, at, tokens, v.table("generator.logits")[0], shares=False)],
        ),
        (
            "generator.log_probs",
            "softmax",
            [*at.operation(last, "×", matrix), *_bars(v, at, tokens, probabilities, shares=True)],
        ),
    ]
    beats = tuple(Beat((*at.figure(here), *step), 0.6, 0.4, v.link(path)) for path, here, step in steps)
    d_model, vocab = v.at_hand.config.d_model, len(v.at_hand.target)
    told = {"d_model": d_model, "vocab": vocab, "word": v.next, "share": percent(float(probabilities.max()))}
    made = "generator.log_probs"
    return Told(beats, v.origin("generator.logits", made), told, v.link(made))


def _bars(
    v: WalkthroughStoryValues, at: WalkthroughLayout, tokens: list[int], numbers: np.ndarray, *, shares: bool
) -> list[Actor]:
    """The likeliest tokens' logits, or their probabilities, in the place of a result."""
    wide = at.stage.wide
    left, right, top, base = (654, 952, 130, 320) if wide else (84, 352, 290, 394)
    columns = centres(len(tokens), left, right)
    step = (right - left) / len(tokens)
    shown = numbers[tokens]
    down = 0.0 if shares else max(0.0, -float(shown.min()))
    unit = (base - top - 20) / ((max(float(shown.max()), 0.0) + down) or 1.0)
    zero = base - down * unit
    names = [v.at_hand.target.every[token] for token in tokens]
    actors: list[Actor] = [Word("sign →", 634 if wide else 64, 232 if wide else 346, "→", size=26, color="quiet")]
    title = v.say("story.probabilities" if shares else "story.logits")
    middle = (left + right) / 2
    actors += [
        Word("title logits", middle, top - 22, title, size=15 if wide else 12, weight=600, color="decoder"),
        Line("base", left, zero, right, zero, color="grid"),
    ]
    for rank, (x, name) in enumerate(zip(columns, names)):
        height = float(shown[rank]) * unit
        actors += [
            bar(f"bar {rank}", x, zero, height, 0.6 * step, "chosen" if shares and rank == 0 else "decoder"),
            Word(f"token {rank}", x, base + 15, name, gloss=v.glosses.get(name, ""), room=step).fit(step - 2, 15,
                 8).lit(rank == 0),
        ]  # fmt: skip
    figure = percent(float(shown[0])) if shares else f"{float(shown[0]):.1f}".replace("-", "−")
    tall = zero - float(shown[0]) * unit
    actors.append(Word("figure 0", max(columns[0], left + 14), tall - 10, figure, size=12, weight=600))
    return actors


def following(v: WalkthroughStoryValues, stage: Stage) -> Told:
    """The winner is appended; the next turn begins where the decoder does."""
    at, wide = WalkthroughLayout(v, stage), stage.wide
    before, y = v.written, (128.0 if stage.wide else 140.0)
    names = [*before, v.next]
    columns = centres(len(names), 40, stage.width - 40)
    step = (stage.width - 80) / len(names)
    size = fitting(names, step - 26, 26 if wide else 18)

    def word(place: int, come: str = "") -> Word:
        new = place == len(before)
        color = "chosen" if new else "decoder"
        gloss = v.glosses.get(names[place], "")
        return Word(f"written {place}", columns[place], y, names[place], size=size, color=color, chip=color,
                    gloss=gloss, born=come).lit(new)  # fmt: skip

    within = (220.0, 170.0) if stage.wide else (118.0, 110.0)
    kept = Items(v).stream("memory", v.table("encoder.output"), v.say("story.memory"))
    have = [
        *at.matrix(kept, stage.width / 2, 292 if stage.wide else 310, named=True, within=within),
        *(word(place) for place in range(len(before))),
    ]
    title = Word("title written", stage.width / 2, y - 36, v.say("story.written"), size=15, color="quiet")
    softmax, start = (950 * 10.5 / 11, 950 * 4.5 / 11) if wide else (352 * 10.5 / 11, 352 * 4.5 / 11)
    high, bend = (54, -44) if wide else (46, -30)
    back = Line("back", softmax, high, start + 20, high, color="chosen", width=2, bend=bend, arrow=True)
    beats = (
        Beat((*at.figure("softmax"), title, *have), 0.6, 0.4, v.link("choice")),
        Beat((*at.figure("softmax"), title, *have, word(len(before), "token 0")), 0.8, 0.5, v.link("choice")),
        Beat((*at.figure("embed_out"), title, *have, word(len(before)), back), 0.9, 0.6),
    )
    told = {"word": v.next, "next": v.turn + 1, "turns": len(v.output) - 1}
    last = v.turn == len(v.output) - 1
    return Told(beats, v.origin("ys", "choice", "next"), told, v.link("next"), "last" if last else "")
