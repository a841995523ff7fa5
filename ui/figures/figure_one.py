"""Figure 1 of the paper as an SVG: labels and sizes in, drawing out. No Streamlit, no wording."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

from ui.theme import Mode, color

WIDTH, HEIGHT = 500, 604
ENCODER, DECODER = 22, 268  # left edges of the two columns
BLOCK, ROW = 196, 40  # width and height of a block

# Arrows from block to block: (column, from, to). And the sums around each sub-layer: (column, from, into the norm).
UPWARD = (
    *((column, bottom, top) for column in (ENCODER, DECODER) for bottom, top in ((562, 540), (500, 472), (432, 392))),
    *((column, 322, 300) for column in (ENCODER, DECODER)),
    *((DECODER, bottom, top) for bottom, top in ((230, 208), (138, 114), (74, 66), (26, 16))),
)
RESIDUAL = (
    *((column, below, norm) for column in (ENCODER, DECODER) for below, norm in ((396, 333), (304, 241))),
    (DECODER, 212, 149),
)


@dataclass(frozen=True)
class Block:
    """One block: `key` names its text; `chapter`, its settings `query` and its `section` are what it opens; `shape` is
    what leaves it."""

    key: str
    chapter: str
    shape: str
    left: int
    top: int
    side: str  # encoder or decoder
    query: tuple[tuple[str, str | int], ...] = ()
    section: str = ""  # the anchor of a heading; "" for the top of the page


def blocks(d_model: int, d_ff: int, h: int, vocab: int, N: int, S: int, T: int, at: Mapping[str, int]) -> list[Block]:
    """The blocks of figure 1, from the top, with the shapes of a model of these sizes reading S and T tokens.

    Each opens its own place in the first layer of its stack. `at` has the stop of a tensor in the forward pass.
    """
    source, target = f"1 × {S} × {d_model}", f"1 × {T} × {d_model}"
    inner = f"{d_model} → {d_ff} → {d_model}"
    table = f"{vocab} × {d_model} → "

    def attention(kind: str, queries: int, keys: int, top: int) -> Block:
        left, side = (ENCODER, "encoder") if kind == "encoder" else (DECODER, "decoder")
        key = "masked" if kind == "decoder" else kind
        query = (("kind", kind), ("layer", 0), *((("stage", "masked"),) if key == "masked" else ()))
        return Block(key, "attention", f"1 × {h} × {queries} × {keys}", left, top, side, query)

    def norm(place: int, i: int, shape: str, left: int, top: int, side: str) -> Block:
        return Block(f"norm_{i}", "layers", shape, left, top, side, (("place", place), ("sum_place", place)))

    def feed_forward(place: int, network: int, left: int, top: int, side: str) -> Block:
        query = (("place", place), ("sum_place", place), ("network", network), ("open", "network"))
        return Block("feed_forward", "layers", inner, left, top, side, query, "network")

    def stop(key: str, path: str, shape: str, top: int) -> Block:
        return Block(key, "walkthrough", shape, DECODER, top, "decoder", (("place", at[path]),))

    first = 2 * N  # of the decoder's sub-layers: the encoder's layers have two each
    return [
        Block("softmax", "decoding", f"1 × {T} × {vocab}", DECODER, 26, "decoder"),
        stop("linear", "generator.logits", f"{d_model} → {vocab}", 74),
        feed_forward(first + 2, N, DECODER, 168, "decoder"),
        norm(first + 2, 3, target, DECODER, 138, "decoder"),
        attention("cross", T, S, 260),
        norm(first + 1, 2, target, DECODER, 230, "decoder"),
        attention("decoder", T, T, 352),
        norm(first, 1, target, DECODER, 322, "decoder"),
        stop("positions", "tgt_embed.1.output", target, 432),
        stop("target", "tgt_embed.0.output", table + target, 500),
        feed_forward(1, 0, ENCODER, 260, "encoder"),
        norm(1, 2, source, ENCODER, 230, "encoder"),
        attention("encoder", S, S, 352),
        norm(0, 1, source, ENCODER, 322, "encoder"),
        Block("positions", "positions", source, ENCODER, 432, "encoder"),
        Block("source", "tokens", table + source, ENCODER, 500, "encoder", (("example", "typed"),)),
    ]


def height(block: Block) -> int:
    return 22 if block.key.startswith("norm") else ROW


def figure_one(drawn: Sequence[Block], texts: Mapping[str, str], mode: Mode) -> str:
    """The SVG. `texts` has a label for every block's key, and `times`, `inputs`, `outputs`, `probabilities`."""
    paper, text, quiet = (color(part, mode) for part in ("background", "text", "quiet"))
    lines = [
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="group" aria-label="{escape(texts["alt"])}">',
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        f'<path d="M0 0 8 4 0 8Z" fill="{quiet}"/></marker></defs>',
        _stack(ENCODER, 218, 188, texts["times"], color("encoder", mode), quiet),
        _stack(DECODER, 126, 280, texts["times"], color("decoder", mode), quiet),
    ]
    lines += [_arrow(f"M{left + BLOCK // 2} {bottom} V{top}", quiet) for left, bottom, top in UPWARD]
    lines += [
        _arrow(f"M{left + BLOCK // 2} {below} H{left + BLOCK + 5} V{norm} H{left + BLOCK}", quiet, 1)
        for left, below, norm in RESIDUAL
    ]
    middle = ENCODER + BLOCK // 2
    memory = f"M{middle} 230 V206 H{DECODER - 18} V280 H{DECODER}"
    lines.append(_arrow(memory, color("encoder", mode), 2))
    for block in drawn:
        tint = color(block.side, mode)
        tall = height(block)
        label, x = escape(texts[block.key]), block.left + BLOCK // 2
        rows: list[tuple[int, str, float, str]] = [
            (block.top + 15 if tall < ROW else block.top + 17, label, 12 if tall < ROW else 14, text)
        ]
        if tall == ROW:
            rows.append((block.top + 33, escape(block.shape), 11.5, quiet))
        lines.append(
            f'<a class="block" tabindex="0" role="link" data-block="{drawn.index(block)}" '
            f'data-section="{block.section}" '
            f'aria-label="{label}, {escape(block.shape)}">'
            f'<rect x="{block.left}" y="{block.top}" width="{BLOCK}" height="{tall}" rx="5" fill="{paper}" '
            f'stroke="{tint}"/><rect class="tint" x="{block.left}" y="{block.top}" width="{BLOCK}" height="{tall}" '
            f'rx="5" fill="{tint}"/>' + "".join(_line(x, *row) for row in rows) + "</a>"
        )
    for key, left, top in (("inputs", ENCODER, 578), ("outputs", DECODER, 578), ("probabilities", DECODER, 11)):
        lines.append(
            f'<text x="{left + BLOCK // 2}" y="{top}" font-size="12.5" fill="{quiet}">{escape(texts[key])}</text>'
        )
    return "".join([*lines, "</svg>"])


def _stack(left: int, top: int, tall: int, times: str, tint: str, quiet: str) -> str:
    side = left - 6 if left == ENCODER else left + BLOCK + 6
    anchor = "end" if left == ENCODER else "start"
    return (
        f'<rect x="{left - 10}" y="{top}" width="{BLOCK + 20}" height="{tall}" rx="10" fill="{tint}" '
        f'fill-opacity="0.06" stroke="{tint}" stroke-opacity="0.5"/>'
        f'<text x="{side + (0 if anchor == "end" else 8)}" y="{top - 6}" font-size="12.5" text-anchor="end" '
        f'fill="{quiet}">{escape(times)}</text>'
    )


def _line(x: int, y: int, words: str, size: float, ink: str) -> str:
    return f'<text x="{x}" y="{y}" font-size="{size}" fill="{ink}">{words}</text>'


def _arrow(path: str, ink: str, width: float = 1.4) -> str:
    return f'<path d="{path}" fill="none" stroke="{ink}" stroke-width="{width}" marker-end="url(#tip)"/>'
