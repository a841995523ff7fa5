"""The same rows further along than any in the training: how many each kind of positions still translates."""

import numpy as np
import torch

from transformer_core.training.row_run import row_right
from ui.cache import cached
from ui.model import ModelAtHand
from ui.model.rows import row_kind, task_of
from ui.model.shipped import ROWS, one_stack

KINDS = {"sinusoids": "gpt", "learned": "gpt_learned", "rotary": "gpt_rotary"}
COLORS = {"sinusoids": "key", "learned": "query", "rotary": "value"}
MOVED = (0, 1, 2, 4, 8, 16, 32)  # places
COUNT = 24  # rows that no run trains on


def models_of(at_hand: ModelAtHand) -> tuple[str, ...]:
    """The shipped model of each of KINDS."""
    return tuple(row_kind(kind, at_hand) for kind in KINDS.values())


def moved_shares(models: tuple[str, ...]) -> np.ndarray:
    """(len(MOVED), 1 + models): the places moved, and the share of rows translated without a mistake. Padding, which no
    place attends to, stands in front."""
    return cached.get_or_make(("rows moved", models), lambda: _moved_shares(models))


def _moved_shares(models: tuple[str, ...]) -> np.ndarray:
    task = task_of(models[0])
    rows = task.held_out(COUNT)
    found = [
        [row_right(one_stack(kind).model, task, torch.cat([rows.new_zeros(COUNT, by), rows], 1)) for by in MOVED]
        for kind in models
    ]
    return np.column_stack([MOVED, *([float(right.float().mean()) for right in kind] for kind in found)])


def moved_program(models: tuple[str, ...]) -> str:
    """Which measures the same."""
    return f"""import torch

from transformer_core import load_any
from transformer_core.training.row_run import row_right

models = [load_any(f"assets/model/{{name}}").model for name in {[ROWS[kind] for kind in models]}]
task = load_any("assets/model/{ROWS[models[0]]}").config.task
rows = task.held_out({COUNT})
shown = torch.zeros({len(MOVED)}, {1 + len(models)})
for row, by in zip(shown, {list(MOVED)}):
    moved = torch.cat([rows.new_zeros({COUNT}, by), rows], 1)
    row[:] = torch.tensor([by, *(row_right(model, task, moved).float().mean() for model in models)])
print(shown)
"""
