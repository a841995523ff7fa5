"""Figure 1 of the paper as an SVG: blocks, arrows and labels in, drawing out. No Streamlit, no wording.

Its colours are those of the page's style sheet, so that one drawing serves by day and by night.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, NamedTuple

import numpy as np

from ui.figures.markup import Markup, element, joined

Scale = Literal["signed", "probability", "magnitude"]

MOST = 2304  # bytes of a picture, that of attention weights apart
NARROWEST = 48  # columns that even a tall picture keeps
HEADS = 8  # that stand side by side; further ones are left out


class Thumbnail(NamedTuple):
    """The number behind a byte is `byte / 255 * high`; where `scale` is signed, `(byte - 127) / 127 * high`."""

    values: np.ndarray  # (heads, rows, columns) uint8
    scale: Scale
    high: float
    every: int  # neighbouring numbers of a row that share a column: the one furthest from zero is shown


def thumbnail(values: np.ndarray, scale: Scale) -> Thumbnail:
    """The picture of `values`, (rows, columns) or one such matrix per head. Its scale has the ends of the whole."""
    heads = np.atleast_3d(values.T).T[:HEADS]
    most = max(NARROWEST, MOST // heads.shape[1]) if len(heads) == 1 else heads.shape[2]
    every = -(-heads.shape[2] // most)
    shown = furthest(heads, every)
    high = 1.0 if scale == "probability" else float(np.abs(shown).max()) or 1.0
    part = 127 + 127 * shown / high if scale == "signed" else 255 * shown / high
    return Thumbnail(np.rint(part).astype(np.uint8), scale, high, every)


def furthest(values: np.ndarray, every: int) -> np.ndarray:
    """Of each `every` neighbours in the last dimension the one furthest from zero; the last group may be smaller."""
    missing = -values.shape[-1] % every
    groups = np.pad(values, [(0, 0)] * (values.ndim - 1) + [(0, missing)])
    groups = groups.reshape(*values.shape[:-1], -1, every)
    return np.take_along_axis(groups, np.abs(groups).argmax(-1, keepdims=True), -1)[..., 0]


WIDTH, HEIGHT = 600, 612
COLUMN = {"encoder": 18, "decoder": 318}  # left edges of the two columns
BLOCK = 258  # width of a block
TOPS = {"encoder": (368, 276), "decoder": (368, 262, 170)}  # of the blocks in a layer, those of the norms apart

Query = tuple[tuple[str, str | int], ...]


@dataclass(frozen=True)
class Block:
    """One block. `key` names its text. It holds the picture of the recorded tensor `path`, of the shape `pictured`;
    `shape` is what is written on it, and `leaves` what goes out of it. It opens the story of `chapter`, with the
    settings `query`."""

    key: str
    side: str  # encoder or decoder
    top: int
    shape: str
    path: str
    pictured: str
    leaves: str
    chapter: str
    query: Query = ()
    scale: Scale = "signed"

    @property
    def tall(self) -> int:
        return 24 if self.is_norm else 58 if self.chapter == "attention" else 44

    @property
    def is_norm(self) -> bool:
        return self.key.startswith("norm")

    @property
    def brief(self) -> bool:
        """Whether the play passes it without a sentence: it does again what a block before it has shown, or little."""
        told = {
            "encoder": ("source", "positions", "encoder", "norm_1", "feed_forward"),
            "decoder": ("target", "cross", "softmax"),
        }
        return self.key not in told[self.side]

    @property
    def picture(self) -> tuple[int, int, int, int]:
        """Where its picture stands: left, top, width, height."""
        left = COLUMN[self.side]
        if self.is_norm:
            return left + 116, self.top + 4, BLOCK - 124, self.tall - 8
        return left + 8, self.top + 21, BLOCK - 16, self.tall - 27


@dataclass(frozen=True)
class Arrow:
    """What goes from one block to another, by their numbers in the list; None is outside. `points` are its corners."""

    start: int | None
    end: int | None
    carries: str
    points: tuple[tuple[int, int], ...]
    kind: str = "way"  # way, residual, memory or again: what was written, on its way back to the decoder


def blocks(
    sizes: Mapping[str, int], vocab: int, tgt_vocab: int, S: int | str, T: int | str, at: Mapping[str, int]
) -> list[Block]:
    """The blocks in the order of the forward pass, with the shapes of a model that reads S and T tokens.

    `sizes` are its d_model, d_ff, h and N. Each block is that of the last layer, and opens its own place there. `at`
    has the stop of a tensor in the forward pass.
    """
    d_model, d_ff, h, N = (sizes[name] for name in ("d_model", "d_ff", "h", "N"))
    last = N - 1
    length = {"encoder": S, "decoder": T}
    vectors = {side: f"1 × {tokens} × {d_model}" for side, tokens in length.items()}
    logits = f"1 × {T} × {tgt_vocab}"

    def of_vectors(key: str, side: str, top: int, path: str, chapter: str, query: Query = (), table: str = "") -> Block:
        """One from which a vector per token comes, the tensor of its picture."""
        shape = vectors[side]
        return Block(
            key,
            side,
            top,
            shape=table + shape,
            path=path,
            pictured=shape,
            leaves=shape,
            chapter=chapter,
            query=query,
        )

    def of_layers(place: int) -> Query:
        return ("place", place), ("sum_place", place)

    def layer(side: str, *kinds: str) -> Iterator[Block]:
        module = f"{side}.layers.{last}"
        first = 2 * last if side == "encoder" else 2 * N + 3 * last  # sub-layer, counted from the encoder's first
        for i, top in enumerate(TOPS[side]):
            yield attention(module, side, kinds[i], top) if i < len(kinds) else feed_forward(module, side, top)
            path = f"{module}.sublayer.{i}.output"
            yield of_vectors(f"norm_{i + 1}", side, top - 32, path, "layers", of_layers(first + i))

    def attention(module: str, side: str, kind: str, top: int) -> Block:
        path = f"{module}.{'src_attn' if kind == 'cross' else 'self_attn'}.weights"
        weights = f"1 × {h} × {length[side]} × {T if kind == 'decoder' else S}"
        key = "masked" if kind == "decoder" else kind
        query = (("kind", kind), ("layer", last), *((("stage", "masked"),) if key == "masked" else ()))
        return Block(
            key,
            side,
            top,
            shape=weights,
            path=path,
            pictured=weights,
            leaves=vectors[side],
            chapter="attention",
            query=query,
            scale="probability",
        )

    def feed_forward(module: str, side: str, top: int) -> Block:
        network = last if side == "encoder" else N + last
        place = 2 * last + 1 if side == "encoder" else 2 * N + 3 * last + 2
        query = (*of_layers(place), ("network", network), ("open", "network"))
        shape, inner = f"{d_model} → {d_ff} → {d_model}", f"1 × {length[side]} × {d_ff}"
        path = f"{module}.feed_forward.hidden"
        return Block(
            "feed_forward",
            side,
            top,
            shape=shape,
            path=path,
            pictured=inner,
            leaves=vectors[side],
            chapter="layers",
            query=query,
            scale="magnitude",
        )

    def stop(path: str) -> tuple[str, str, Query]:
        return path, "walkthrough", (("place", at[path]),)

    typed = (("example", "typed"),)
    last_path, chapter, query = stop("generator.logits")
    return [
        of_vectors("source", "encoder", 512, "src_embed.0.output", "tokens", typed, f"{vocab} × {d_model} → "),
        of_vectors("positions", "encoder", 454, "src_embed.1.output", "positions"),
        *layer("encoder", "encoder"),
        of_vectors("target", "decoder", 512, *stop("tgt_embed.0.output"), f"{tgt_vocab} × {d_model} → "),
        of_vectors("positions", "decoder", 454, *stop("tgt_embed.1.output")),
        *layer("decoder", "decoder", "cross"),
        Block(
            "linear",
            "decoder",
            76,
            shape=f"{d_model} → {tgt_vocab}",
            path=last_path,
            pictured=logits,
            leaves=logits,
            chapter=chapter,
            query=query,
        ),
        Block(
            "softmax",
            "decoder",
            22,
            shape=logits,
            path="generator.log_probs",
            pictured=logits,
            leaves=logits,
            chapter="decoding",
            scale="probability",
        ),
    ]


def arrows(drawn: Sequence[Block], S: int | str, T: int | str) -> list[Arrow]:
    """All that goes from block to block: the way up, around each sub-layer, from the encoder, and back to the start."""
    found = []
    for side, ids in (("encoder", S), ("decoder", T)):
        column = [index for index, block in enumerate(drawn) if block.side == side]
        middle, right = COLUMN[side] + BLOCK // 2, COLUMN[side] + BLOCK
        bottom = drawn[column[0]].top + drawn[column[0]].tall
        found.append(Arrow(None, column[0], f"1 × {ids}", ((middle, HEIGHT - 18), (middle, bottom))))
        for low, high in pairwise(column):
            way = (middle, drawn[low].top), (middle, drawn[high].top + drawn[high].tall)
            found.append(Arrow(low, high, drawn[low].leaves, way))
        below = column[1]
        for index in column:
            if drawn[index].is_norm:
                start = drawn[index - 1].top + drawn[index - 1].tall + 4
                end = drawn[index].top + drawn[index].tall // 2
                around = (middle, start), (right + 5, start), (right + 5, end), (right, end)
                found.append(Arrow(below, index, drawn[below].leaves, around, "residual"))
                below = index
    return [*found, *_between(drawn, T)]


def _between(drawn: Sequence[Block], T: int | str) -> Iterator[Arrow]:
    """From the encoder's last block to the decoder's cross-attention, and from the top back to the decoder's input."""
    numbers = {block.key: index for index, block in enumerate(drawn)}
    cross, target = numbers["cross"], numbers["target"]
    middle, left, memory = COLUMN["encoder"] + BLOCK // 2, COLUMN["decoder"], drawn[target - 1]
    above, into = memory.top - 22, drawn[cross].top + drawn[cross].tall // 2
    way = (middle, memory.top), (middle, above), (left - 20, above), (left - 20, into), (left, into)
    yield Arrow(target - 1, cross, memory.leaves, way, "memory")
    middle, right, last = left + BLOCK // 2, left + BLOCK, drawn[-1]
    yield Arrow(numbers["softmax"], None, last.leaves, ((middle, last.top), (middle, 14)))
    start, end, bottom = last.top + last.tall // 2, HEIGHT - 22, drawn[target].top + drawn[target].tall
    way = (right, start), (WIDTH - 6, start), (WIDTH - 6, end), (middle, end), (middle, bottom)
    yield Arrow(numbers["softmax"], target, f"1 × {T}", way, "again")


TIP = Markup(
    '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto" '
    'markerUnits="userSpaceOnUse"><path d="M0 0 8 4 0 8Z" fill="context-stroke"/></marker></defs>'
)


def figure_one(drawn: Sequence[Block], ways: Sequence[Arrow], texts: Mapping[str, str], told: Sequence[str]) -> Markup:
    """The SVG. `texts` has a label for every block's key, and `alt`, `times`, `inputs`, `outputs`, `probabilities`;
    `told` says of each block what goes in, what its picture shows and what goes out."""
    drawn_there = [
        TIP,
        *(_stack(side, drawn, texts["times"]) for side in COLUMN),
        *map(_arrow, ways),
        *(_block(index, block, texts[block.key], told[index]) for index, block in enumerate(drawn)),
        _aside("inputs", "encoder", HEIGHT - 4, texts),
        _aside("outputs", "decoder", HEIGHT - 4, texts),
        _aside("probabilities", "decoder", 11, texts),
    ]
    return element("svg", *drawn_there, viewBox=f"0 0 {WIDTH} {HEIGHT}", role="group", aria_label=texts["alt"])


def _block(index: int, block: Block, label: str, told: str) -> Markup:
    left, top, tall = COLUMN[block.side], block.top, block.tall
    place = {"x": left, "y": top, "width": BLOCK, "height": tall, "rx": 5}
    name, words = label, [element("text", label, class_="label", x=left + 9, y=top + (16 if block.is_norm else 15))]
    if not block.is_norm:
        name = f"{label} {block.shape}"
        words += [Markup(" "), element("text", block.shape, class_="shape", x=left + BLOCK - 9, y=top + 15)]
    rects = [element("rect", class_=kind, **place) for kind in ("paper", "tint")]
    which = {"data_block": index, "aria_label": f"{name}, {told}"}
    kind = f"block {block.side}{' norm' * block.is_norm}"
    return element("a", element("title", told), *rects, *words, class_=kind, tabindex=0, role="link", **which)


def _arrow(arrow: Arrow) -> Markup:
    start, end = ("" if place is None else place for place in (arrow.start, arrow.end))
    corners = " ".join(f"{x},{y}" for x, y in arrow.points)
    ends = {"data_start": start, "data_end": end, "marker_end": "url(#tip)"}
    return element("polyline", class_=f"arrow {arrow.kind}", points=corners, **ends)


def _stack(side: str, drawn: Sequence[Block], times: str) -> Markup:
    inside = [block for block in drawn if block.side == side and (block.is_norm or block.chapter == "attention")]
    top, bottom = min(block.top for block in inside) - 10, max(block.top + block.tall for block in inside) + 10
    left = COLUMN[side] - 10
    x, y = (left, top - 12) if side == "encoder" else (left - 5, top + 14)  # words stand on the frame
    size = {"width": BLOCK + 20, "height": bottom - top, "rx": 10}
    frame = element("rect", class_=f"stack {side}", x=left, y=top, **size)
    return joined([frame, element("text", times, class_=f"times {side}", x=x, y=y)])


def _aside(name: str, side: str, y: int, texts: Mapping[str, str]) -> Markup:
    x = COLUMN[side] + BLOCK // 2
    return element("text", texts[name], class_=f"aside {name}", x=x, y=y)
