"""Where one head of cross-attention looks: lines from the source to the output."""

from collections.abc import Mapping, Sequence

import numpy as np
import torch
from torch import Tensor

from transformer_core.experiments.alignment import looks_at_reference
from transformer_core.tasks import Copy, Task
from ui.components.drawings import Token
from ui.figures import Board, Drawing
from ui.figures.lines import Reference, lines
from ui.model import ModelAtHand

# The words that a word stands for, as the task at hand knows them, beside where a head looks.


def task_of(at_hand: ModelAtHand) -> Task | None:
    """What the model at hand has learned, or would learn; None if nobody knows."""
    if at_hand.step is None:
        return None
    config = at_hand.run
    return config.words or Copy(config.vocab, config.length, config.min_length)


def reference_links(weights: np.ndarray, reference: Tensor) -> Reference:
    """The links of a `reference` (T, S), each query with a mark: whether its largest weight lies on one of them."""
    right, some = looks_at_reference(torch.from_numpy(weights), reference).tolist(), reference.any(-1).tolist()
    marks = ["" if not counts else "✓" if found else "✗" for counts, found in zip(some, right)]
    return Reference(reference.numpy(), marks, right)


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
