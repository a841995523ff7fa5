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
    """One block: `key` names its text, `chapter` its page with `query`; `shape` is what leaves it."""

    key: str
    chapter: str
    shape: str
    left: int
    top: int
    side: str  # encoder or decoder
    query: tuple[tuple[str, str], ...] = ()


def blocks(d_model: int, d_ff: int, h: int, vocab: int, S: int, T: int) -> Sequence[Block]:
    """The blocks of figure 1, from the top, with the shapes of a model of these sizes reading S and T tokens."""
    source, target = f"1 × {S} × {d_model}", f"1 × {T} × {d_model}"
    inner = f"{d_model} → {d_ff} → {d_model}"
    at = {key: (("kind", key),) for key in ("encoder", "decoder", "cross")}
    return (
        Block("softmax", "decoding", f"1 × {T} × {vocab}", DECODER, 26, "decoder"),
        Block("linear", "walkthrough", f"{d_model} → {vocab}", DECODER, 74, "decoder"),
        Block("feed_forward", "layers", inner, DECODER, 168, "decoder"),
        Block("norm_3", "layers", target, DECODER, 138, "decoder"),
        Block("cross", "attention", f"1 × {h} × {T} × {S}", DECODER, 260, "decoder", at["cross"]),
        Block("norm_2", "layers", target, DECODER, 230, "decoder"),
        Block("masked", "masks", f"1 × {h} × {T} × {T}", DECODER, 352, "decoder"),
        Block("norm_1", "layers", target, DECODER, 322, "decoder"),
        Block("positions", "positions", target, DECODER, 432, "decoder"),
        Block("target", "tokens", f"{vocab} × {d_model} → {target}", DECODER, 500, "decoder"),
        Block("feed_forward", "layers", inner, ENCODER, 260, "encoder"),
        Block("norm_2", "layers", source, ENCODER, 230, "encoder"),
        Block("encoder", "attention", f"1 × {h} × {S} × {S}", ENCODER, 352, "encoder", at["encoder"]),
        Block("norm_1", "layers", source, ENCODER, 322, "encoder"),
        Block("positions", "positions", source, ENCODER, 432, "encoder"),
        Block("source", "tokens", f"{vocab} × {d_model} → {source}", ENCODER, 500, "encoder"),
    )


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
