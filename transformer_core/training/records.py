"""The records of a run in a file of its model, held to the shapes that such a run has before they are believed."""

from collections.abc import Mapping
from itertools import pairwise

import numpy as np
import torch
from torch import Tensor

from transformer_core.training.block_gradients import blocks_of
from transformer_core.training.config import TrainConfig
from transformer_core.training.not_a_model import NotAModel
from transformer_core.training.probing import Watched, embedded_of

RECORD = "record."  # begins the names of their tensors, which no parameter's does


def records_in(tensors: Mapping[str, Tensor], config: TrainConfig, step: int) -> dict[str, np.ndarray]:
    """What `History.records` gave of a run `config` up to `step`; nothing if there are none. NotAModel if it cannot be
    that."""
    if not tensors:
        return {}
    found = {name.removeprefix(RECORD): rows for name, rows in tensors.items()}
    wanted = _rows(config) if config.task != "random" else {}
    if set(found) != set(wanted) or not all(isinstance(rows, Tensor) and not rows.is_meta for rows in found.values()):
        raise _refused(step)
    count = found["probe_step"].numel()
    for name, (shape, kind) in wanted.items():
        rows = found[name]
        if rows.shape != (count, *shape) or rows.dtype != kind or not rows.isfinite().all():
            raise _refused(step)
    if ((found["choices"] < 0) | (found["choices"] >= config.tgt_vocab)).any():
        raise _refused(step)
    steps = found["probe_step"].tolist()
    if not count or steps[0] < 0 or steps[-1] > step or any(one >= then for one, then in pairwise(steps)):
        raise _refused(step)
    return {name: rows.numpy() for name, rows in found.items()}


def _rows(config: TrainConfig) -> dict[str, tuple[tuple[int, ...], torch.dtype]]:
    """The shape of one record, and its kind, under each name of `history.KEPT`."""
    watched = Watched(config)
    T, S = watched.probe.tgt.size(1) - 1, watched.probe.src.size(1)
    layers = config.N if config.architecture == "transformer" else 0
    return {
        "probe_step": ((), torch.int32),
        "cross_attention": ((layers, config.h, T, S), torch.float16),
        "choices": (tuple(watched.pairs.tgt[:, 1:].shape), torch.int16),
        "embedded": ((len(embedded_of(config)), config.width), torch.float16),
        "block_norms": ((len(blocks_of(config)),), torch.float32),
    }


def _refused(step: int) -> NotAModel:
    return NotAModel("history", f"the file's records are not those of a run of {step} steps", step=step)
