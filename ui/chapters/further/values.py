"""The same rows further along than any in the training: how many each kind of positions still translates."""

import numpy as np
import torch

from transformer_core.training.row_run import row_right
from ui.cache import cached
from ui.model.rows import task_of
from ui.model.shipped import ROWS, one_stack

KINDS = {"sinusoids": "gpt", "learned": "gpt_learned", "rotary": "gpt_rotary"}
COLORS = {"sinusoids": "key", "learned": "query", "rotary": "value"}
MOVED = (0, 1, 2, 4, 8, 16, 32)  # places
COUNT = 24  # rows that no run trains on


def moved_shares() -> np.ndarray:
    """(len(MOVED), 1 + kinds): the places moved, and the share of rows translated without a mistake. Padding, which no
    place attends to, stands in front."""
    return cached.get_or_make(("rows moved",), _moved_shares)


def _moved_shares() -> np.ndarray:
    rows, task = task_of("gpt").held_out(COUNT), task_of("gpt")
    found = [
        [row_right(one_stack(kind).model, task, torch.cat([rows.new_zeros(COUNT, by), rows], 1)) for by in MOVED]
        for kind in KINDS.values()
    ]
    return np.column_stack([MOVED, *([float(right.float().mean()) for right in kind] for kind in found)])


PROGRAM = f"""import torch

from transformer_core import load_any
from transformer_core.training.row_run import row_right

models = [load_any(f"assets/model/{{name}}").model for name in {[ROWS.get(kind, kind) for kind in KINDS.values()]}]
task = load_any("assets/model/gpt.safetensors").config.task
rows = task.held_out({COUNT})
shown = torch.zeros({len(MOVED)}, {1 + len(KINDS)})
for row, by in zip(shown, {list(MOVED)}):
    moved = torch.cat([rows.new_zeros({COUNT}, by), rows], 1)
    row[:] = torch.tensor([by, *(row_right(model, task, moved).float().mean() for model in models)])
print(shown)
"""
