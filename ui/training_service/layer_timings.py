"""The layers' times and memory as measured on this server: the same for all readers, and measured once for all."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from transformer_core.experiments.sequence_layers import LAYERS, SIZES, Point
from ui.training_service.runs import all_runs
from ui.training_service.shared_tasks import SharedTask, SharedTasks

Size = tuple[int, int]  # d, kernel
Measurement = SharedTask[Point]


def share(seen: Measurement) -> float:
    """Of the whole, by the tokens that were read."""
    return sum(point.n for point in seen.reports) / (len(LAYERS) * sum(SIZES))


class Measurements(SharedTasks[Size, Point]):
    """One per size."""

    def command(self, key: Size) -> dict[str, Any]:
        d, kernel = key
        return {"do": "measure", "d": d, "kernel": kernel}

    def read(self, key: Size, arrays: Mapping[str, np.ndarray]) -> tuple[Point, ...]:
        names = list(LAYERS)
        return tuple(
            Point(names[int(layer)], int(n), forward, backward, int(saved))
            for layer, n, forward, backward, saved in arrays.get("points", np.empty((0, 5))).tolist()
        )


measurements = Measurements(all_runs)
