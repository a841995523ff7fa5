"""The forward pass told: figure 1 as a strip on which a mark says where we are, and what is made of what there."""

from dataclasses import dataclass, replace

import numpy as np

from ui.chapters.walkthrough.story_values import (
    DECODER,
    ENCODER,
    SHAPED,
    Item,
    WalkthroughLayout,
    WalkthroughStoryValues,
    values,
)
from ui.figures import percent
from ui.figures.actors import Actor, Beat, Line, Stage, Word
from ui.sections.scene import Bars, Columns, Told, end_of, story

ROLES = "query", "key", "value"
ATTN, NETWORK = f"{ENCODER}.self_attn", f"{ENCODER}.feed_forward"


@dataclass(frozen=True)
class Items:
    v: WalkthroughStoryValues

    def stream(self, name: str, table: np.ndarray, title: str, rim: str = "encoder") -> Item:
        """A vector a word, as it goes up: all on one scale."""
        v = self.v
        paths = ("src_embed.0.output", "src_embed.1.output", f"{ENCODER}.sublayer.0.sum", "encoder.output")
        return Item(name, table, title, rim, end_of(*map(v.table, paths)), lit=v.row, rows=tuple(v.words))

    def read(self, name: str, before: str, path: str) -> Item:
        """What a sub-layer reads: with the norm in front of it, no longer what came `before`."""
        table = self.v.given(path)
        same = np.array_equal(table, self.v.table(before))
        return self.stream(name, table, self.v.say("story.vectors" if same else "story.normed"))

    def of_head(self, name: str, rim: str) -> Item:
        v, paths = self.v, [f"{ATTN}.{each}" for each in ROLES]
        end = end_of(*map(v.table, paths))
        return Item(name, v.table(f"{ATTN}.{name}"), v.say(f"story.{name}"), rim, end, lit=v.row, rows=tuple(v.words))

    def learned(self, name: str, table: np.ndarray, title: str) -> Item:
        return Item(name, table, title, "attention", end_of(table), learned=True)

    @property
    def weights(self) -> Item:
        v = self.v
        table, rows = v.table(f"{ATTN}.weights"), tuple(v.words)
        return Item("weights", table, v.say("story.weights"), "attention", shares=True, lit=v.row, rows=rows)


def _beats(at: WalkthroughLayout, here: tuple[str, ...], *steps: tuple[str, list[Actor]]) -> tuple[Beat, ...]:
    """One for each step, on the strip, with the tensor at whose stop a reader takes over."""
    return tuple(Beat((*at.figure(*here), *step), 0.5, 0.3, at.v.link(path)) for path, step in steps)


def rows(v: WalkthroughStoryValues, stage: Stage) -> Told:
    at, items = WalkthroughLayout(v, stage), Items(v)
    looked_up = items.stream("x", v.table("src_embed.0.output"), v.say("story.looked_up"))
    code = Item("code", v.table("src_embed.1.code"), v.say("story.code"), "", looked_up.end)
    placed = items.stream("placed", v.table("src_embed.1.output"), v.say("story.vectors"))
    beats = (
        *_beats(at, ("embed",), ("src_embed.0.output", at.operation(looked_up))),
        *_beats(
            at,
            ("position",),
            ("src_embed.1.code", at.operation(looked_up, "+", code)),
            ("src_embed.1.output", at.operation(looked_up, "+", code, placed)),
        ),
    )
    d_model = v.at_hand.config.d_model
    told = {"count": len(v.words), "vocab": len(v.at_hand.source), "root": f"√{d_model}", "d_model": d_model}
    made = "src_embed.1.output"
    return Told(beats, v.origin("src_embed.0.output", made), told, v.link(made))


def project(v: WalkthroughStoryValues, stage: Stage) -> Told:
    at, items = WalkthroughLayout(v, stage), Items(v)
    x = items.read("placed", "src_embed.1.output", f"{ATTN}.query")
    made_of = [items.of_head(role, role) for role in ROLES]
    steps = [(v.before(f"{ATTN}.query"), at.operation(x))]
    for index, role in enumerate(ROLES):
        matrix = items.learned(f"W {role}", v.head_weight(f"{ATTN}.linears.{index}.weight"), f"W_{role[0].upper()}")
        steps.append((f"{ATTN}.{role}", [*at.operation(x, "×", matrix), *at.beside(made_of[: index + 1])]))
    config = v.at_hand.config
    told = {"head": v.head, "last": config.h - 1, "word": v.words[v.row], "d_k": config.d_model // config.h}
    made = f"{ATTN}.query"
    return Told(_beats(at, ("attention",), *steps), v.origin(f"{ATTN}.linears.0.weight", made), told, v.link(made))


def compare(v: WalkthroughStoryValues, stage: Stage) -> Told:
    at, items = WalkthroughLayout(v, stage), Items(v)
    query, key = items.of_head("query", "query"), items.of_head("key", "key")
    turned = Item("key", key.table.T, v.say("story.key_turned"), "key", key.end)
    raw = v.table(f"{ATTN}.scores")
    scores = Item("scores", raw, v.say("story.scores"), "", end_of(raw), lit=v.row, rows=tuple(v.words))
    beats = _beats(
        at,
        ("attention",),
        (f"{ATTN}.scores", at.operation(query, "×", turned)),
        (f"{ATTN}.scores", at.operation(query, "×", turned, scores)),
        (f"{ATTN}.weights", at.operation(scores, "", None, items.weights, over="softmax")),
    )
    count, config = len(v.words), v.at_hand.config
    told = {"count": count, "root": f"√{config.d_model // config.h}", "shape": f"{count} × {count}"}
    made = f"{ATTN}.weights"
    return Told(beats, v.origin(f"{ATTN}.scores", made), told, v.link(made), "" if config.scale else "unscaled")


def collect(v: WalkthroughStoryValues, stage: Stage) -> Told:
    at, items = WalkthroughLayout(v, stage), Items(v)
    value = items.of_head("value", "value")
    mixed = replace(value, name="heads", table=v.table(f"{ATTN}.heads"), title=v.say("story.heads"))
    merged = replace(value, name="merged", table=v.table(f"{ATTN}.merged"), title=v.say("story.merged"))
    out = items.learned("W O", v.weight(f"{ATTN}.linears.3.weight"), "W_O")
    attended = items.stream("attended", v.table(f"{ATTN}.output"), v.say("story.attended"), "attention")
    before = items.stream("x", v.table(f"{ENCODER}.sublayer.0.input"), v.say("story.vectors"))
    after = items.stream("sum", v.table(f"{ENCODER}.sublayer.0.sum"), v.say("story.sum"))
    beats = _beats(
        at,
        ("attention",),
        (f"{ATTN}.heads", at.operation(items.weights, "×", value, mixed)),
        (f"{ATTN}.output", at.operation(merged, "×", out, attended)),
        (f"{ENCODER}.sublayer.0.sum", at.operation(attended, "+", before, after)),
    )
    told = {"heads": v.at_hand.config.h, "d_model": v.at_hand.config.d_model}
    made = f"{ENCODER}.sublayer.0.sum"
    return Told(beats, v.origin(f"{ATTN}.heads", made), told, v.link(made))


def think(v: WalkthroughStoryValues, stage: Stage) -> Told:
    at, items = WalkthroughLayout(v, stage), Items(v)
    x = items.read("sum", f"{ENCODER}.sublayer.0.output", f"{NETWORK}.pre_activation")
    first = items.learned("W 1", v.weight(f"{NETWORK}.w_1.weight"), "W₁")
    second = items.learned("W 2", v.weight(f"{NETWORK}.w_2.weight"), "W₂")
    table = v.table(f"{NETWORK}.hidden")
    hidden = Item("hidden", table, v.say("story.hidden"), "encoder", end_of(table), lit=v.row, rows=tuple(v.words))
    output = items.stream("output", v.table(f"{NETWORK}.output"), v.say("story.output"))
    before = items.stream("before", v.table(f"{ENCODER}.sublayer.1.input"), v.say("story.vectors"))
    after = items.stream("after", v.table(f"{ENCODER}.sublayer.1.sum"), v.say("story.sum"))
    memory = items.stream("memory", v.table("encoder.output"), v.say("story.memory"))
    beats = _beats(
        at,
        ("network",),
        (f"{NETWORK}.hidden", at.operation(x, "×", first, hidden)),
        (f"{NETWORK}.output", at.operation(hidden, "×", second, output)),
        (f"{ENCODER}.sublayer.1.sum", at.operation(output, "+", before, after)),
        ("encoder.output", at.operation(after, "", None, memory)),
    )
    made = f"{NETWORK}.hidden"
    quiet = percent(float((table == 0).mean()), 0)
    told = {"d_model": v.at_hand.config.d_model, "d_ff": table.shape[1], "quiet": quiet}
    return Told(beats, v.origin(made, "encoder.output"), told, v.link(made))


# The output: what is written so far attends to itself and to the source, and its last row names the next token.

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
    of = at.stage.of
    left, right, top, base = of((654, 952, 130, 320), (84, 352, 290, 394))
    columns, shown = Columns(len(tokens), left, right), numbers[tokens]
    down = 0.0 if shares else max(0.0, -float(shown.min()))
    unit = (base - top - 20) / ((max(float(shown.max()), 0.0) + down) or 1.0)
    zero = base - down * unit
    bars = Bars(zero, 0.6 * columns.step)
    names = [v.at_hand.target.every[token] for token in tokens]
    title = v.say("story.probabilities" if shares else "story.logits")
    actors: list[Actor] = [
        at.sign("→", at.sizes.equals),
        Word("title logits", (left + right) / 2, top - 22, title, size=of(15, 12), weight=600, color="decoder"),
        columns.base(zero),
    ]
    words = columns.words("token", names, base + 15, 15, 2, least=8, alike=False, glosses=v.glosses, room=columns.step)
    for rank, (x, word) in enumerate(zip(columns.middles, words)):
        color = "chosen" if shares and rank == 0 else "decoder"
        actors += [
            bars.bar(f"bar {rank}", x, float(shown[rank]) * unit, color),
            word.lit(rank == 0),
        ]
    figure = percent(float(shown[0])) if shares else f"{float(shown[0]):.1f}".replace("-", "−")
    tall = zero - float(shown[0]) * unit
    actors.append(Word("figure 0", max(columns.middles[0], left + 14), tall - 10, figure, size=12, weight=600))
    return actors


def following(v: WalkthroughStoryValues, stage: Stage) -> Told:
    """The winner is appended; the next turn begins where the decoder does."""
    at, y, columns = WalkthroughLayout(v, stage), stage.of(128.0, 140.0), Columns(v.turn + 1, 40, stage.width - 40)
    written = columns.words(
        "written", [*v.written, v.next], y, stage.of(26, 18), 26, glosses=v.glosses, color="decoder", chip="decoder"
    )
    new = replace(written[-1], color="chosen", chip="chosen").lit(True)
    kept = Items(v).stream("memory", v.table("encoder.output"), v.say("story.memory"))
    within = stage.of((220.0, 170.0), (118.0, 110.0))
    have = [*at.matrix(kept, (stage.width / 2, stage.of(292, 310)), named=True, within=within), *written[:-1]]
    title = Word("title written", stage.width / 2, y - 36, v.say("story.written"), size=15, color="quiet")
    softmax, start = (stage.of(950, 352) * place / 11 for place in (10.5, 4.5))
    high, bend = stage.of((54, -44), (46, -30))
    back = Line("back", softmax, high, start + 20, high, color="chosen", width=2, bend=bend, arrow=True)
    beats = (
        Beat((*at.figure("softmax"), title, *have), 0.6, 0.4, v.link("choice")),
        Beat((*at.figure("softmax"), title, *have, replace(new, born="token 0")), 0.8, 0.5, v.link("choice")),
        Beat((*at.figure("embed_out"), title, *have, new, back), 0.9, 0.6),
    )
    told = {"word": v.next, "next": v.turn + 1, "turns": len(v.output) - 1}
    last = v.turn == len(v.output) - 1
    return Told(beats, v.origin("ys", "choice", "next"), told, v.link("next"), "last" if last else "")


STORY = story(values, (rows, project, compare, collect, think, ask, choose, following), {"project": SHAPED})
