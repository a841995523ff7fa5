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

from transformer_core.training.any_run import AnyModel, AnyRun
from transformer_core.training.checkpoint import LARGEST, STATE, checkpoint_of, content_of
from transformer_core.training.history import EMPTY, History
from transformer_core.training.not_a_model import NotAModel
from transformer_core.training.report import Report
from transformer_core.training.row_file import is_one_stack, one_stack_of
from transformer_core.training.row_run import RowRun
from transformer_core.training.run import TrainingRun
from transformer_core.training.tensor_file import held
from transformer_core.training.vector import in_order

MOST = 3 * LARGEST  # bytes of such a file: each weight has two means beside it


class Resumed(NamedTuple):
    run: TrainingRun
    history: History  # what it had told until then
    whole: bool  # the rest is, to the bit, what the run gives where nobody stops it, on the same machine


class ResumedRow(NamedTuple):
    run: RowRun
    whole: bool  # as in `Resumed`


def state_of(run: AnyRun) -> dict[str, Tensor]:
    """What decides, beside weights, step and settings, how a run goes on."""
    m, v = run.optimizer.moments
    return {"m": m, "v": v} | _dropout(run)


def _dropout(run: AnyRun) -> dict[str, Tensor]:
    return {"dropout": run.dropout} if isinstance(run, TrainingRun) and run.config.dropout else {}


def resumed(path: Path, device: torch.device | str = "cpu") -> Resumed:
    """The run in a file, of ours or of the app's, to go on with on `device`. NotAModel if there is none, ValueError if
    it has ended."""
    parts = held(content_of(path, MOST))
    model, config, step, columns, _ = checkpoint_of(parts, LARGEST)
    _refuse_ended(path, step, config.steps)
    run = TrainingRun(config, device=device)
    state = _checked(run, parts["weights"])
    history = History.from_columns(columns, {}) if columns else EMPTY
    run.go_on(step, _vector(model), state, list(_reports(history)))
    return Resumed(run, history, bool(state) and len(history.step) == step + 1)


def resumed_row(path: Path) -> ResumedRow:
    """The same of a run of rows. ValueError, too, if the model in the file had no run of ours."""
    parts = held(content_of(path, MOST))
    if not is_one_stack(parts):
        raise NotAModel("parts", "the file holds no GPT or BERT that was saved by this program")
    model, config, step = one_stack_of(parts, LARGEST)
    _refuse_ended(path, step, 0 if config is None else config.steps)
    assert config is not None
    run = RowRun(config)
    state = _checked(run, parts["weights"])
    run.go_on(step, _vector(model), state)
    return ResumedRow(run, bool(state))


def _refuse_ended(path: Path, step: int, steps: int) -> None:
    if not 0 < step < steps:
        raise ValueError(f"{path.name} holds step {step} of {steps}: there is nothing to go on with")


def _vector(model: AnyModel) -> Tensor:
    return parameters_to_vector(in_order(dict(model.named_parameters())).values()).detach()


def _checked(run: AnyRun, tensors: Mapping[str, Tensor]) -> Mapping[str, Tensor]:
    """The state among what a file holds. NotAModel if there is one that is not what `state_of` gives of such a run."""
    state = {name.removeprefix(STATE): tensor for name, tensor in tensors.items() if name.startswith(STATE)}
    own = _dropout(run)
    wanted = {"m": run.vector.values, "v": run.vector.values} | own
    if own and "dropout" in state and state["dropout"].shape != own["dropout"].shape:
        message = f"the file's random numbers are not those of a {run.device.type}: go on where the run was stopped"
        raise NotAModel("parts", message)
    good = set(state) == set(wanted) and all(
        state[name].shape == like.shape and state[name].dtype == like.dtype for name, like in wanted.items()
    )
    if state and not (good and state["m"].isfinite().all() and (state["v"] >= 0).all() and state["v"].isfinite().all()):
        raise NotAModel("parts", "the file's state of the optimiser does not belong to a run of these settings")
    try:
        if "dropout" in state:
            torch.Generator(run.device).set_state(state["dropout"])
    except RuntimeError as problem:
        raise NotAModel("parts", "the file's random numbers are none that PyTorch draws") from problem
    return state


def _reports(history: History) -> Iterator[Report]:
    """As far as a history tells them: step, loss, and the exact match where it was measured."""
    for step, loss, match in zip(history.step.tolist(), history.loss.tolist(), history.exact_match.tolist()):
        yield Report(step, loss, exact_match=None if np.isnan(match) else match)
