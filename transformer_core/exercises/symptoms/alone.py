"""Good in training, and bad when it decodes alone: the model has learned its task, and the program differs."""

import torch
from torch import Tensor

from transformer_core.exercises.symptoms.symptom import CheckedCause, ShippedModels, State, Symptom
from transformer_core.exercises.symptoms.written import ModelInUse, accuracy, compared, probabilities, right_alone
from transformer_core.tasks import Copy
from transformer_core.tasks.vocabulary import START
from transformer_core.training.config import TrainConfig
from transformer_core.training.models import fresh_model

MEASURED = 24  # sequences


def healthy(seed: int, models: ShippedModels) -> State:
    return _state(models, seed)


def last_token(seed: int, models: ShippedModels) -> State:
    """The decoder is given the last token alone, as where keys and values are kept; here nobody keeps them."""
    return _state(models, seed, own_last=True)


def other_source(seed: int, models: ShippedModels) -> State:
    """In training each source began with the start symbol, and the program that decodes leaves it away."""
    return _state(models, seed, begins=False)


def not_loaded(seed: int, models: ShippedModels) -> State:
    """The names in the file begin with `module.`, and `strict=False` passes over what does not fit."""
    return _state(models, seed, prefix="module.")


def _last(ys: Tensor) -> Tensor:
    return ys[:, -1:]


def _without_start(src: Tensor) -> Tensor:
    return src[:, 1:]


def _state(models: ShippedModels, seed: int, own_last: bool = False, begins: bool = True, prefix: str = "") -> State:
    model = fresh_model(TrainConfig(N=2, seed=seed)).eval()
    loaded = model.load_state_dict(
        {prefix + name: value for name, value in models.copy.state_dict().items()}, strict=False
    )
    used = ModelInUse(model)
    if own_last:
        used = used._replace(own=_last)
    if not begins:
        used = used._replace(source=_without_start)
    pairs = Copy().pairs(MEASURED, torch.Generator().manual_seed(seed))
    steps = pairs.tgt.size(1) - 1
    labels = list(map(str, pairs.tgt[0, 1:].tolist()))
    found = compared(used, pairs, steps)
    return {**found, "src": used.source(pairs.src), "step": steps, "loaded": loaded, "START": START, "labels": labels}


ALONE = Symptom(
    "alone",
    healthy,
    (
        CheckedCause("last_token", last_token, "tgt.size(1) < step"),
        CheckedCause("other_source", other_source, "(src[:, 0] != START).any()"),
        CheckedCause("not_loaded", not_loaded, "loaded.missing_keys != []"),
    ),
    probabilities,
    {"share_given": accuracy, "share_alone": right_alone},
)
