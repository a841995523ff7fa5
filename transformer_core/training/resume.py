"""A run that was stopped goes on: what its file holds beside the model, and the run that this makes.

A run is a function of its settings. So the pairs that it has learned from are drawn again, and what it has told of
itself decides again which steps are recorded; the file holds AdamW's two means and dropout's random numbers.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.nn.utils import parameters_to_vector

from transformer_core.training.checkpoint import LARGEST, STATE, checkpoint_of, content_of
from transformer_core.training.history import EMPTY, History
from transformer_core.training.not_a_model import NotAModel
from transformer_core.training.report import Report
from transformer_core.training.run import TrainingRun
from transformer_core.training.tensor_file import held
from transformer_core.training.vector import in_order

MOST = 3 * LARGEST  # bytes of such a file: each weight has two means beside it


class Resumed(NamedTuple):
    run: TrainingRun
    history: History  # what it had told until then
    whole: bool  # the rest is, to the bit, what the run gives where nobody stops it, on the same machine


def state_of(run: TrainingRun) -> dict[str, Tensor]:
    """What decides, beside weights, step and settings, how a run goes on."""
    m, v = run.optimizer.moments
    return {"m": m, "v": v} | ({"dropout": run.dropout} if run.config.dropout else {})


def resumed(path: Path, device: torch.device | str = "cpu") -> Resumed:
    """The run in a file, of ours or of the app's, to go on with on `device`. NotAModel if there is none, ValueError if
    it has ended."""
    parts = held(content_of(path, MOST))
    model, config, step, columns, _ = checkpoint_of(parts, LARGEST)
    if not 0 < step < config.steps:
        raise ValueError(f"{path.name} holds step {step} of {config.steps}: there is nothing to go on with")
    run = TrainingRun(config, device=device)
    state = _checked(
        run, {name.removeprefix(STATE): t for name, t in parts["weights"].items() if name.startswith(STATE)}
    )
    history = History.from_columns(columns, {}) if columns else EMPTY
    weights = parameters_to_vector(in_order(dict(model.named_parameters())).values()).detach()
    run.go_on(step, weights, state, list(_reports(history)))
    return Resumed(run, history, bool(state) and len(history.step) == step + 1)


def _checked(run: TrainingRun, state: Mapping[str, Tensor]) -> Mapping[str, Tensor]:
    """NotAModel if there is a state, and not one that `state_of` gives of such a run."""
    wanted = {"m": run.vector.values, "v": run.vector.values} | ({"dropout": run.dropout} if run.config.dropout else {})
    if "dropout" in wanted and "dropout" in state and state["dropout"].shape != run.dropout.shape:
        message = f"the file's random numbers are not those of a {run.device.type}: go on where the run was stopped"
        raise NotAModel("parts", message)
    good = set(state) == set(wanted) and all(
        state[name].shape == like.shape and state[name].dtype == like.dtype for name, like in wanted.items()
    )
    if state and not (good and state["m"].isfinite().all() and (state["v"] >= 0).all() and state["v"].isfinite().all()):
        raise NotAModel("parts", "the file's state of the optimiser does not belong to a run of these settings")
    try:
        torch.Generator(run.device).set_state(state.get("dropout", run.dropout))
    except RuntimeError as problem:
        raise NotAModel("parts", "the file's random numbers are none that PyTorch draws") from problem
    return state


def _reports(history: History) -> Iterator[Report]:
    """As far as a history tells them: step, loss, and the exact match where it was measured."""
    for step, loss, match in zip(history.step.tolist(), history.loss.tolist(), history.exact_match.tolist()):
        yield Report(step, loss, 0.0, 0.0, None if np.isnan(match) else match, 0.0, 0.0, 0.0, 0.0, None)
