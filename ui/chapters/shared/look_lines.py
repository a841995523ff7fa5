"""Where one head of cross-attention looks: lines from the source to the output."""

from collections.abc import Mapping, Sequence

import numpy as np
import torch
from torch import Tensor

from ui.chapters.shared.reference import reference_links
from ui.components.drawings import Token
from ui.figures import Board, Drawing
from ui.figures.lines import lines


def look_lines(
    weights: np.ndarray,
    output: Sequence[str],
    source: Sequence[str],
    *,
    sides: tuple[str, str],
    query: int,
    reference: Tensor | None,
    alt: str,
    key: int | None = None,
    board: Board | None = None,
    glosses: Mapping[str, str],
) -> Drawing:
    """`weights` (T, S) of the T tokens of `output`, the chosen `query` marked, and the `key` or what it looks at most;
    `reference` (T, S) where it is known; its signs have their room in any case. `sides` are the headings of output and
    source, `glosses` what the tokens mean."""
    known = torch.zeros(weights.shape, dtype=torch.bool) if reference is None else reference
    svg = lines(
        weights,
        output,
        source,
        heads=sides,
        query=query,
        key=int(weights[query].argmax()) if key is None else key,
        alt=alt,
        reference=reference_links(weights, known),
        keys_first=True,
        glosses=glosses,
    )
    return Drawing(svg, "lines", board=board)


def row_chosen(token: Token, weights: np.ndarray) -> int | None:
    """The row of `weights` (T, S) that is meant by a token: its own, or that which looks at it most. None if there is
    no such token any more."""
    if token.index >= weights.shape[token.side == "key"]:
        return None
    return token.index if token.side == "query" else int(weights[:, token.index].argmax())
