"""Where one head of cross-attention looks: lines from the source to the output."""

from collections.abc import Callable, Sequence

import numpy as np
import torch
from torch import Tensor

from ui.canvas.lines import Token, lines
from ui.chapters.shared.gold import gold_links
from ui.figures import lines as drawing
from ui.figures.markup import Markup
from ui.frame.chapter import Chapter


def look_lines(
    chapter: Chapter,
    name: str,
    weights: np.ndarray,
    output: Sequence[str],
    source: Sequence[str],
    *,
    sides: tuple[str, str],
    query: int,
    key: int,
    gold: Tensor | None,
    alt: str,
    on_token: Callable[[Token], object] | None = None,
) -> Token | None:
    """`weights` (T, S) of the T tokens of `output`, the chosen `query` and `key` marked; `gold` (T, S) where it is
    known; its signs have their room in any case. `sides` are the headings of output and source. `on_token`
    is called with a token that is chosen; returned is the one just chosen, if any."""
    svg = look_drawing(weights, output, source, sides=sides, query=query, key=key, gold=gold, alt=alt)
    return lines(svg, key=f"{chapter.name}.{name}", on_token=on_token)


def look_drawing(
    weights: np.ndarray,
    output: Sequence[str],
    source: Sequence[str],
    *,
    sides: tuple[str, str],
    query: int,
    key: int,
    gold: Tensor | None,
    alt: str,
) -> Markup:
    """The drawing alone, for a figure."""
    return drawing.lines(
        weights,
        output,
        source,
        heads=sides,
        query=query,
        key=key,
        alt=alt,
        gold=gold_links(weights, torch.zeros(weights.shape, dtype=torch.bool) if gold is None else gold),
        keys_first=True,
    )


def row_chosen(token: Token, weights: np.ndarray) -> int | None:
    """The row of `weights` (T, S) that is meant by a token: its own, or that which looks at it most. None if there is
    no such token any more."""
    if token.index >= weights.shape[token.side == "key"]:
        return None
    return token.index if token.side == "query" else int(weights[:, token.index].argmax())
