"""A loss that stays where guessing has it: at ln V, of V tokens that are equally likely."""

import math

import torch
from torch import Tensor
from torch.nn.utils import parameters_to_vector

from transformer_core.exercises.symptoms.small_run import SmallRun
from transformer_core.exercises.symptoms.symptom import CheckedCause, ShippedModels, State, Symptom
from transformer_core.tasks import Copy
from transformer_core.tasks.batch import Batch
from transformer_core.training.config import TrainConfig
from transformer_core.training.models import fresh_model
from transformer_core.training.vector import ParameterVector

STEPS, LAST = 100, 10
VOCAB = 11
GUESSING = math.log(VOCAB - 1)  # of the tokens that are no padding all are equally likely


def healthy(seed: int, models: ShippedModels) -> State:
    return _trained(SmallRun(_config(seed)))


def no_rate(seed: int, models: ShippedModels) -> State:
    """Nobody moves the schedule on: the rate stays that of step 0 of the warm-up, which is 0."""
    return _trained(SmallRun(_config(seed), scheduled=False))


def other_weights(seed: int, models: ShippedModels) -> State:
    """The model was built once more after the optimiser, which still has the weights of the first one."""
    run = SmallRun(_config(seed))
    first = fresh_model(_config(seed))
    run.trains(first, ParameterVector(first))
    return _trained(run)


def mixed_pairs(seed: int, models: ShippedModels) -> State:
    """Sources and targets were put in order each by itself: every target belongs to another source."""
    return _trained(SmallRun(_config(seed)), mixed=True)


def curves(state: State) -> Tensor:
    """(steps, 4): the step, the loss, how long the gradient is, and how far the weights are from where they began."""
    found: Tensor = state["history"]
    return found


def over_guessing(state: State) -> float:
    """The loss at the end, as a share of that of guessing."""
    return float(state["history"][-LAST:, 1].mean()) / GUESSING


def _config(seed: int) -> TrainConfig:
    return TrainConfig(vocab=VOCAB, seed=seed)


def _trained(run: SmallRun, mixed: bool = False) -> State:
    task, rows = Copy(VOCAB, run.config.length), []
    began = parameters_to_vector(run.model.parameters()).detach().clone()
    for step in range(1, STEPS + 1):
        src, tgt = task.pairs(run.config.batch, run.batches)
        batch = Batch(src, tgt.roll(1, 0) if mixed else tgt)
        moved = parameters_to_vector(run.model.parameters()).detach() - began
        rows.append((step, *run.update(batch), float(torch.linalg.vector_norm(moved))))
    history = torch.tensor(rows)
    return {"history": history, "optimizer": run.optimizer, "model": run.model, "src": src, "tgt_y": batch.tgt_y}


STUCK = Symptom(
    "stuck",
    healthy,
    (
        CheckedCause("no_rate", no_rate, 'optimizer.param_groups[0]["lr"] == 0'),
        CheckedCause(
            "other_weights", other_weights, 'optimizer.param_groups[0]["params"][0] is not next(model.parameters())'
        ),
        CheckedCause("mixed_pairs", mixed_pairs, "(tgt_y != src[:, 1:]).any()"),
    ),
    curves,
    {"share": over_guessing},
)
