"""The words that a word stands for, as the task at hand knows them, beside where a head looks."""

import numpy as np
import torch
from torch import Tensor

from transformer_core.experiments.alignment import looks_at_reference
from transformer_core.tasks import Copy, Task
from ui.figures.lines import Reference
from ui.model import ModelAtHand


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
