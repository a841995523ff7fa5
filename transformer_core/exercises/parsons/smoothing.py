"""Label smoothing as a puzzle (paper, section 5.4)."""

import torch
from torch import Tensor

from transformer_core.exercises.parsons.measure import first_largest, furthest, row_sums, shape
from transformer_core.exercises.parsons.puzzle import Distractor, Finding, Function, Law, Puzzle, PuzzleLine
from transformer_core.loss import smoothed_targets

PAD, SIZE, SHARE = 0, 7, 0.1
ROUNDING = 1e-6  # of float32, in which the targets are
TARGET = torch.tensor([3, 6, 0, 1, 5])  # one of them is a padding


def _targets(function: Function) -> Tensor:
    targets: Tensor = function(TARGET, SIZE, PAD, SHARE)
    return targets


def empty(function: Function) -> Finding:
    """Nothing is asked of a row whose answer is padding: it is all zero."""
    (row,) = (TARGET == PAD).nonzero().flatten().tolist()
    asked = _targets(function)[row]
    return Finding(float(asked.abs().max()), {"row": row, "sum": float(asked.sum())})


def padding(function: Function) -> Finding:
    """The padding token is never an answer, nor is a share of one given to it."""
    column = _targets(function)[:, PAD].abs()
    return Finding(float(column.max()), {"row": first_largest(column), "share": float(column.max())})


def rows(function: Function) -> Finding:
    """Every other row is a distribution."""
    real = (TARGET != PAD).nonzero().flatten()
    found = row_sums(_targets(function)[real].double())
    return Finding(found.error, {**found.values, "row": int(real[int(found.values["row"])])})


def answer(function: Function) -> Finding:
    """The answer has 1 - smoothing."""
    real = (TARGET != PAD).nonzero().flatten()
    given = _targets(function)[real, TARGET[real]]
    off = (given - (1 - SHARE)).abs()
    at = first_largest(off)
    return Finding(float(off[at]), {"row": int(real[at]), "given": float(given[at]), "wanted": 1 - SHARE})


def parity(function: Function) -> Finding:
    """Cell by cell beside the core's own targets."""
    return furthest(_targets(function), smoothed_targets(TARGET, SIZE, PAD, SHARE))


SMOOTHING = Puzzle(
    "smoothing",
    "def smoothed_targets(target, size, padding_idx, smoothing):",
    (
        PuzzleLine("share", "true_dist = torch.full((target.numel(), size), smoothing / (size - 2))"),
        PuzzleLine("answer", "true_dist.scatter_(1, target.unsqueeze(1), 1.0 - smoothing)"),
        PuzzleLine("padding", "true_dist[:, padding_idx] = 0.0"),
        PuzzleLine("return", "return true_dist.masked_fill_((target == padding_idx).unsqueeze(1), 0.0)"),
    ),
    (
        Distractor("everyone", "true_dist = torch.full((target.numel(), size), smoothing / size)", "share", "rows"),
        Distractor("certain", "true_dist.scatter_(1, target.unsqueeze(1), 1.0)", "answer", "rows"),
        Distractor("axis", "true_dist.scatter_(0, target.unsqueeze(1), 1.0 - smoothing)", "answer", "raised"),
        Distractor("row", "true_dist[padding_idx] = 0.0", "padding", "padding"),
        Distractor("kept", "return true_dist", "return", "empty"),
    ),
    (
        shape(_targets, (len(TARGET), SIZE)),
        Law("empty", empty, 0.0),
        Law("padding", padding, 0.0),
        Law("rows", rows, ROUNDING),
        Law("answer", answer, ROUNDING),
        Law("parity", parity, ROUNDING),
    ),
    {"torch": torch},
    (smoothed_targets,),
)
