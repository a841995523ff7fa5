"""Runs of models of one stack, which learn rows of words: a function of their settings, and so one for all readers."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
import torch
from torch.nn.utils import vector_to_parameters

from transformer_core.after_2017.make import build
from transformer_core.training.models import unfilled
from transformer_core.training.row_config import RowConfig
from transformer_core.training.row_file import OneStackCheckpoint
from transformer_core.training.row_run import RowReport, fresh_one_stack
from ui.cache import cached
from ui.training_service.runs import all_runs
from ui.training_service.shared_tasks import SharedTask, SharedTasks

RowTraining = SharedTask[RowReport]


class RowRuns(SharedTasks[RowConfig, RowReport]):
    """One per settings. The models at its moments are kept as any model is: they go where others take their room."""

    AT_ONCE = 4  # a link can start them, too

    def command(self, key: RowConfig) -> dict[str, Any]:
        return {"do": "row", "config": key.to_dict()}

    def read(self, key: RowConfig, arrays: Mapping[str, np.ndarray]) -> tuple[RowReport, ...]:
        for step, weights in zip(arrays.get("steps", ()), arrays.get("weights", ())):
            cached.put(("row", key, int(step)), trained(key, int(step), weights))
        reports = arrays.get("reports", np.empty((0, 4))).tolist()
        return tuple(
            RowReport(int(step), loss, rate, None if np.isnan(right) else right) for step, loss, rate, right in reports
        )

    def model(self, key: RowConfig, step: int) -> OneStackCheckpoint | None:
        """The model after this step, one of `key.moments`; None before that, and where others have taken its room."""
        if step == 0:
            return OneStackCheckpoint(fresh_one_stack(key).eval(), key, 0)
        found: OneStackCheckpoint | None = cached.get(("row", key, step))
        return found


def trained(config: RowConfig, step: int, weights: np.ndarray) -> OneStackCheckpoint:
    """The model of a moment of a run, from its parameters one after the other."""
    model = unfilled(partial(build, config.shape))
    vector_to_parameters(torch.from_numpy(weights), model.parameters())
    return OneStackCheckpoint(model.eval(), config, step)


row_runs = RowRuns(all_runs)
