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
from transformer_core.training.row_run import RowReport
from ui.cache import cached
from ui.training_service.runs import all_runs
from ui.training_service.shared_tasks import SharedTask, SharedTasks

RowTraining = SharedTask[RowReport]


class RowRuns(SharedTasks[RowConfig, RowReport]):
    """One per settings. The model at the end is kept as any model is: it goes where others take its room."""

    AT_ONCE = 4  # a link can start them, too

    def command(self, key: RowConfig) -> dict[str, Any]:
        return {"do": "row", "config": key.to_dict()}

    def read(self, key: RowConfig, arrays: Mapping[str, np.ndarray]) -> tuple[RowReport, ...]:
        if (weights := arrays.get("weights")) is not None:
            cached.put(("row", key), trained(key, weights))
        reports = arrays.get("reports", np.empty((0, 4))).tolist()
        return tuple(
            RowReport(int(step), loss, rate, None if np.isnan(right) else right) for step, loss, rate, right in reports
        )

    def model(self, key: RowConfig) -> OneStackCheckpoint | None:
        """What the run has come to; None before its end, and where others have taken its room since."""
        found: OneStackCheckpoint | None = cached.get(("row", key))
        return found


def trained(config: RowConfig, weights: np.ndarray) -> OneStackCheckpoint:
    """The model of a run that is through, from its parameters one after the other."""
    model = unfilled(partial(build, config.shape))
    vector_to_parameters(torch.from_numpy(weights), model.parameters())
    return OneStackCheckpoint(model.eval(), config, config.steps)


row_runs = RowRuns(all_runs)
