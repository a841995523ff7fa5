"""The decoder's mask, padding and look-ahead together, as a puzzle (paper, section 3.2.3)."""

import torch
from torch import Tensor

from transformer_core.attention import attention
from transformer_core.exercises.parsons.measure import furthest, influence, moved, shape
from transformer_core.exercises.parsons.puzzle import Distractor, Finding, Function, Law, Puzzle, PuzzleLine
from transformer_core.masks import padding_mask, subsequent_mask, target_mask
from transformer_core.verify.samples import vectors

PAD, T, SIZE = 0, 5, 6
TARGETS = torch.tensor([[3, 4, 5, 6, 7], [3, 4, 5, 0, 0], [0, 0, 3, 4, 5]])  # (3, T), paddings after and before


def _masks(function: Function) -> Tensor:
    masks: Tensor = function(TARGETS, PAD)
    return masks.bool()


def past(function: Function) -> Finding:
    """No word is kept from seeing itself and those before it."""
    wanted = target_mask(TARGETS, PAD) & (TARGETS != PAD).unsqueeze(-1)
    hidden = (wanted & ~_masks(function)).nonzero()
    if not len(hidden):
        return Finding(0.0)
    sentence, row, word = hidden[0].tolist()
    return Finding(float(len(hidden)), {"sentence": sentence, "row": row, "word": word})


def causality(function: Function) -> Finding:
    """How far attention under the mask of a whole sentence moves a row when a later word is another one."""
    return moved(_influence(_masks(function)[0]).triu(1))


def padding(function: Function) -> Finding:
    """How far a padding moves a row that is no padding."""
    masks, worst = _masks(function), Finding(0.0)
    for sentence, mask in enumerate(masks):
        real = TARGETS[sentence] != PAD
        found = moved(_influence(mask) * real.unsqueeze(1) * ~real)
        if found.error > worst.error:
            worst = Finding(found.error, {"sentence": sentence, **found.values})
    return worst


def _influence(mask: Tensor) -> Tensor:
    """How far each word moves each row of an attention under the mask; nothing moves a row that may see nothing."""

    def outputs(x: Tensor) -> Tensor:
        return attention(x, x, x, mask)[0] * mask.any(-1, keepdim=True)

    return influence(outputs, vectors(T, SIZE))


def parity(function: Function) -> Finding:
    """Cell by cell beside the core's own mask."""
    return furthest(_masks(function).flatten(0, 1), target_mask(TARGETS, PAD).flatten(0, 1))


MASKS = Puzzle(
    "masks",
    "def target_mask(tgt, pad):",
    (
        PuzzleLine("size", "size = tgt.size(-1)"),
        PuzzleLine("ahead", "ahead = torch.ones(1, size, size, dtype=torch.bool).tril()"),
        PuzzleLine("real", "real = (tgt != pad).unsqueeze(-2)"),
        PuzzleLine("return", "return real & ahead"),
    ),
    (
        Distractor("next", "ahead = torch.ones(1, size, size, dtype=torch.bool).tril(1)", "ahead", "causality"),
        Distractor("itself", "ahead = torch.ones(1, size, size, dtype=torch.bool).tril(-1)", "ahead", "past"),
        Distractor("queries", "real = (tgt != pad).unsqueeze(-1)", "real", "padding"),
        Distractor("unreal", "real = (tgt == pad).unsqueeze(-2)", "real", "past"),
        Distractor("either", "return real | ahead", "return", "causality"),
    ),
    (
        shape(lambda function: function(TARGETS, PAD), (len(TARGETS), T, T)),
        Law("past", past),
        Law("causality", causality),
        Law("padding", padding),
        Law("parity", parity),
    ),
    {"torch": torch},
    (target_mask, padding_mask, subsequent_mask),
)
