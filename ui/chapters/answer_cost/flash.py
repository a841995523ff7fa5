"""FlashAttention: the same numbers in tiles, as an order of work, and the bytes moved with tiles and without."""

from typing import Any

import numpy as np
import torch

from transformer_core import subsequent_mask
from transformer_core.after_2017.flash_attention import (
    Tile,
    Traffic,
    flash_attention,
    met,
    standard_traffic,
    tiles,
    traffic,
)
from transformer_core.attention import BLOCKED
from ui.chapters.answer_cost.memory import ENDS, POINTS, Memory, sizes_of
from ui.figures import TWO_COLORS, Board, Figure, Operand, Panel, Style, XAxis, YAxis, curves, number, runnable
from ui.figures.formula import Choose, I, J, K, Matrix, Number, exp, largest, total
from ui.figures.paper import product, scaled
from ui.model.rows import Row, continued_row, row_example, row_kind, row_recorded, task_of
from ui.model.shipped import one_stack
from ui.sections import Chapter, Choice, Section, controls, predict, provenance, show
from ui.settings.fields import Settings, choice, whole

ATTENTION = "decoder.layers.0.self_attn"
ROWS, COLUMNS = 128, 64  # of a tile of long rows
EXACT = Choice("flash_exact", ("less", "same", "near"), right="same")


class Flash(Settings):
    flash_tile: str = choice("4", "2", "4", "8")  # queries, and keys
    flash_head: int = whole(0, 0, 15)
    flash_step: int = whole(3, 1, 200)


def order_of_work(length: int, size: int, step: int) -> torch.Tensor:
    """(length, length): the number of the tile that computes each score, 0 for those not computed up to a step."""
    found, x = torch.zeros(length, length), torch.zeros(length, 1)
    for at, tile in enumerate(tiles(x, x, x, subsequent_mask(length), size, size), 1):
        if at <= step:
            found[tile.queries.start : tile.queries.stop, tile.keys.start : tile.keys.stop] = at
    return found


def traffic_table(d_k: int, heads: int, size: int, first: int, last: int) -> np.ndarray:
    """(POINTS, 3): n, and the bytes that one layer's attention moves without tiles, and in tiles under the mask."""
    lengths = np.geomspace(first, last, POINTS).round().astype(int).tolist()
    return np.array(
        [
            [
                n,
                standard_traffic(n, n, d_k, d_k, heads=heads).bytes(size),
                traffic(n, n, d_k, d_k, ROWS, COLUMNS, causal=True, heads=heads).bytes(size),
            ]
            for n in lengths
        ]
    )


@Section("flash", settings=Flash, cell="flash_cell", reads=(Memory,), text="text", asks=(EXACT,))
def flash(chapter: Chapter[Flash]) -> None:
    above = chapter.figure_first()
    kind = row_kind("gpt", chapter.at_hand)
    prompt = row_example(chapter.say, "story.prompt", kind)
    row = continued_row(kind, tuple(task_of(kind).vocabulary.read(prompt)))[:-1]
    trace, mask = row_recorded(kind, row), subsequent_mask(len(row))
    h = one_stack(kind).model.shape.h
    size = int(controls.choose(chapter, "flash_tile"))
    head = controls.number_of(chapter, "flash_head", h)
    q, k, v = (trace[f"{ATTENTION}.{name}"] for name in ("query", "key", "value"))
    work = list(tiles(q[0, head], k[0, head], v[0, head], mask[0], size, size))
    step = controls.slider(chapter, "flash_step", 1, len(work))
    show(above, _tile_board(chapter, kind, row, head, work, step))
    tile = work[step - 1]
    chapter.write(
        "flash.step", step=step, steps=len(work), first=tile.queries.start, last=tile.queries.stop - 1,
        first_key=tile.keys.start, last_key=tile.keys.stop - 1, read=tile.traffic.read, written=tile.traffic.written,
    )  # fmt: skip
    if predict(chapter, EXACT):
        gap = (flash_attention(q, k, v, mask, size, size) - trace[f"{ATTENTION}.heads"]).abs().max()
        chapter.write("flash.why", gap=number(float(gap), 2), h=h)
    _traffic(chapter, kind)


def _tile_board(chapter: Chapter[Flash], kind: str, row: Row, head: int, work: list[Tile], step: int) -> Figure:
    say, trace, tile = chapter.say, row_recorded(kind, row), work[step - 1]
    n, size = len(row), len(work[0].keys)
    names = task_of(kind).vocabulary.names_of(row)
    queries, keys = (slice(part.start, part.stop) for part in (tile.queries, tile.keys))
    q, k, v, masked = (trace[f"{ATTENTION}.{name}"][0, head].numpy() for name in ("query", "key", "value", "masked"))
    order, seen = order_of_work(n, size, step).numpy(), subsequent_mask(n)[0].numpy()
    computed = order > 0
    scores = np.where(seen[queries, keys], tile.scores.numpy(), BLOCKED)
    s, m, stop, d_k = Matrix("s"), Matrix("maximum")[I, 0], keys.stop, q.shape[1]
    running = tile.running
    rows: dict[str, Any] = {"row_labels": names[queries], "print_values": True}
    panels = [
        Panel("order", order, say("flash.order"), names, names, say("flash.query"), say("flash.key"), "magnitude",
              low=0, high=len(work), vacant=~computed, blank=True, blocked=computed & ~seen, print_values=True,
              place=(0, 0)),
        Panel("scores", scores, say("flash.scores"), col_labels=names[keys], col_axis=say("flash.key"), symbol="s",
              blocked=~seen[queries, keys], meaning="attention", place=(0, 1), **rows,
              made=Choose(Matrix("mask")[I, J], scaled(product(Matrix("q"), Matrix("k"), d_k), d_k), Number(BLOCKED))),
        Panel("maximum", running.maximum.numpy(), say("flash.maximum"), symbol="m", place=(1, 0), **rows,
              made=largest(K, stop, s[I, K])),
        Panel("total", running.total.numpy(), say("flash.total"), symbol="ℓ", place=(1, 1), **rows,
              made=total(K, stop, exp(s[I, K] - m)), scale="magnitude"),
        Panel("output", running.output.numpy(), say("flash.output"), symbol="O", meaning="value", place=(2, 0),
              row_labels=names[queries], made=total(K, stop, exp(s[I, K] - m) * Matrix("v")[K, J])),
    ]  # fmt: skip
    operands = [
        Operand("q", q[queries], "q", "query"),
        Operand("k", k[keys], "k", "key"),
        Operand("v", v, "v", "value"),
        Operand("s", masked[queries], "s"),
        Operand("mask", seen[queries, keys].astype(float), "mask"),
    ]
    return Figure(
        "flash",
        Board(panels, operands, vacant=say("flash.vacant"), result="order"),
        f"{kind} · {provenance(f'tiles({ATTENTION})', n, n)} · {len(work)}",
        code=[tiles, met, flash_attention],
        program=runnable(order_of_work, n, size, step),
        alt=say("flash.alt", step=step, steps=len(work)),
    )


def _traffic(chapter: Chapter[Flash], kind: str) -> None:
    say, size = chapter.say, chapter.of(Memory).settings.cache_of
    sizes, (first, last), unit = sizes_of(size, kind), ENDS[size], 1e3 if size == "here" else 1e9
    given = sizes.d_model // sizes.h, sizes.h, sizes.bytes, first, last
    table, names = traffic_table(*given), [say("flash.whole"), say("flash.tiles")]
    figure = Figure(
        "traffic",
        curves(
            table[:, 0], dict(zip(names, table[:, 1:].T / unit)), x_axis=XAxis(say("tokens"), log=True),
            y_axis=YAxis(say(f"flash.{size}"), log=True),
            style=Style(colors=TWO_COLORS[::-1], dashed=[] if size == "here" else names), height=320,
        ),
        f"standard_traffic(n) · traffic(n, {ROWS} × {COLUMNS}) · d_k {given[0]} · {sizes.h}",
        numbers=table,
        columns=["n", *names],
        code=[standard_traffic, traffic, Traffic],
        program=runnable(traffic_table, *given),
        alt=say("flash.traffic_alt", last=f"{last:,}"),
    )  # fmt: skip
    show(chapter, figure)
    whole_bytes, tile_bytes = (float(value) for value in table[-1, 1:])
    chapter.write(
        "flash.moved", last=f"{last:,}", rows=ROWS, columns=COLUMNS, whole=number(whole_bytes / unit, 3),
        tiles=number(tile_bytes / unit, 3), times=number(whole_bytes / tile_bytes, 3),
        unit="kB" if size == "here" else "GB",
    )  # fmt: skip
