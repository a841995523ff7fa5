"""The models in the repository, and what a server makes ready once, before its first reader."""

import gc
import threading
from functools import cache
from pathlib import Path

import torch

from transformer_core.training.checkpoint import Checkpoint, load
from transformer_core.training.row_file import OneStackCheckpoint
from transformer_core.training.state_dict import load_any
from ui.settings.chapters import DEEP
from ui.training_service.memory_budget import memory_of_machine, return_what_is_freed, warn_if_short

SHIPPED = Path(__file__).parents[2] / "assets" / "model"
FILES = {"trained": "copy.safetensors", "translate": "translate.safetensors", "spanish": "spanish.safetensors"}
EVERY = FILES | {kind: f"{kind}.safetensors" for kind in DEEP.values()}  # that a reader can choose
PEEKING = "peeking.safetensors"
OF_ONE_STACK = "gpt bert gpt_learned gpt_rotary gpt_experts gpt_unbalanced"  # each in two languages, and in other two
ROWS = {name + pair: f"{name}{pair}.safetensors" for pair in ("", "_es") for name in OF_ONE_STACK.split()}


class NotShipped(ValueError):
    """The `file` of a model in the repository is missing or damaged."""

    def __init__(self, file: str) -> None:
        super().__init__(f"{file} is missing or damaged")
        self.file = file


@cache
def shipped(kind: str = "trained") -> Checkpoint:
    return _loaded(EVERY[kind])


@cache
def peeking() -> Checkpoint:
    """The one that was trained without the look-ahead mask, for a story to tell of. NotShipped if there is none."""
    return _loaded(PEEKING)


@cache
def one_stack(kind: str) -> OneStackCheckpoint:
    """One of ROWS. NotShipped if there is none."""
    try:
        found = load_any(SHIPPED / ROWS[kind])
    except (OSError, ValueError) as problem:
        raise NotShipped(ROWS[kind]) from problem
    if not isinstance(found, OneStackCheckpoint) or found.config is None:
        raise NotShipped(ROWS[kind])
    return found


def _loaded(file: str) -> Checkpoint:
    try:
        return load(SHIPPED / file)
    except (OSError, ValueError) as problem:
        raise NotShipped(file) from problem


OBJECTS = 2000  # new ones before the young are collected: a run of a page makes about as many
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
    for kind in EVERY:
        shipped(kind)
    peeking()
    for kind in ROWS:
        one_stack(kind)
    gc.collect()
    gc.freeze()
    gc.set_threshold(OBJECTS, *gc.get_threshold()[1:])
