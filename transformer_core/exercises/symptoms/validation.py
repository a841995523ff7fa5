"""A validation loss that is lower than the training loss, although the model was trained on the latter's pairs."""

import torch
from torch import Tensor, nn

from transformer_core.exercises.symptoms.small_run import SmallRun
from transformer_core.exercises.symptoms.symptom import CheckedCause, ShippedModels, State, Symptom
from transformer_core.tasks import Copy
from transformer_core.tasks.batch import Batch, Pairs
from transformer_core.training.config import TrainConfig
from transformer_core.training.evaluation import log_probs_of
from transformer_core.training.models import FRESH, stream

EPOCHS, UPDATES = 5, 20
DROPPED, SMOOTHED = 0.1, 0.1  # the paper's


def healthy(seed: int, models: ShippedModels) -> State:
    """After each epoch, both losses of the same weights, in evaluation mode, without smoothing."""
    return _trained(TrainConfig(seed=seed))


def dropping(seed: int, models: ShippedModels) -> State:
    """The training loss is that of the updates' mode, with dropout."""
    return _trained(TrainConfig(seed=seed, dropout=DROPPED))


def smoothed(seed: int, models: ShippedModels) -> State:
    """The training loss has smoothed targets, which no model can reach."""
    return _trained(TrainConfig(seed=seed, smoothing=SMOOTHED))


def averaged(seed: int, models: ShippedModels) -> State:
    """The training loss is the mean over the epoch, in which the model was worse than at its end."""
    return _trained(TrainConfig(seed=seed), along=True)


def losses(state: State) -> Tensor:
    """(epochs, 3): the step, the training loss, the validation loss."""
    found: Tensor = state["history"]
    return found


def gap(state: State) -> float:
    """By how much the training loss is higher, on average over the epochs."""
    _, training, validation = state["history"].mean(0).tolist()
    return float(training - validation)


def _trained(config: TrainConfig, along: bool = False) -> State:
    run, task, plain = SmallRun(config), Copy(config.vocab, config.length), nn.CrossEntropyLoss()
    criterion = nn.CrossEntropyLoss(label_smoothing=config.smoothing)
    held_out = task.pairs(UPDATES * config.batch, stream(config.seed, FRESH))
    rows = []
    for _ in range(EPOCHS):
        every, measured = [], []
        for _ in range(UPDATES):
            pairs = task.pairs(config.batch, run.batches)
            every.append(pairs)
            measured.append((run.step, run.update(Batch(*pairs))[0]))
        if not along:
            training = _loss(run, Pairs(*map(torch.cat, zip(*every))), criterion)
            measured = [(run.step, training)]
        mode = run.model.training
        run.model.eval()
        rows.append((run.step, sum(loss for _, loss in measured) / len(measured), _loss(run, held_out, plain)))
        run.model.train(mode)
    steps = [step for step, _ in measured]
    return {"history": torch.tensor(rows), "model": run.model, "criterion": criterion, "steps": steps}


def _loss(run: SmallRun, pairs: Pairs, criterion: nn.Module) -> float:
    """Of the model in the mode in which it is."""
    batch = Batch(*pairs)
    with torch.no_grad():
        return float(criterion(log_probs_of(run.model, batch).flatten(0, 1), batch.tgt_y.flatten()))


VALIDATION = Symptom(
    "validation",
    healthy,
    (
        CheckedCause("dropping", dropping, "model.training"),
        CheckedCause("smoothed", smoothed, "criterion.label_smoothing > 0"),
        CheckedCause("averaged", averaged, "steps[0] < steps[-1]"),
    ),
    losses,
    {"gap": gap},
)
