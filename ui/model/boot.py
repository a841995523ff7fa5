"""Once per process: what is slow to begin with."""

import gc
import threading
from functools import cache

import torch

from ui.model.shipped import FILES, peeking, shipped
from ui.training_service.memory_budget import memory_of_machine, return_what_is_freed, warn_if_short

_booting = threading.Lock()


def boot() -> None:
    """Once per process: import what is slow, then freeze, so that no garbage collection walks through PyTorch.

    NotShipped, each time, if a shipped model is missing or damaged.
    """
    with _booting:
        _boot()


@cache
def _boot() -> None:
    torch.set_num_threads(1)
    return_what_is_freed()
    warn_if_short(memory_of_machine())
    import plotly.graph_objects as go

    go.Figure(go.Heatmap(z=[[1]])).to_json()
    for kind in FILES:
        shipped(kind)
    peeking()
    gc.collect()
    gc.freeze()
