"""The source: rows of a table, three products, every query with every key, the mixture, and each word alone."""

from dataclasses import dataclass, replace

import numpy as np

from ui.chapters.walkthrough.story.places import Item, WalkthroughLayout
from ui.chapters.walkthrough.story.values import ENCODER, WalkthroughStoryValues
from ui.figures import percent
from ui.sections.scene import Actor, Beat, Stage, Told, end_of

ROLES = "query", "key", "value"
ATTN, NETWORK = f"{ENCODER}.self_attn", f"{ENCODER}.feed_forward"


@dataclass(frozen=True)
class Items:
    """What is made in the encoder, as the matrices of its scenes."""

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
