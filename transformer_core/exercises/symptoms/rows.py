"""Rows of attention weights that add up to more than 1, in the first attention of the encoder."""

from typing import cast

import torch
from torch import Tensor

from transformer_core import EncoderDecoder, MultiHeadedAttention, padding_mask, record
from transformer_core.copies import twin
from transformer_core.exercises.symptoms.small_run import drop_from_seed
from transformer_core.exercises.symptoms.symptom import CheckedCause, ShippedModels, State, Symptom
from transformer_core.tasks import Copy
from transformer_core.verify.broken import broken

FIRST = "encoder.layers.0.self_attn"
DROPPED = 0.1  # the paper's


def healthy(seed: int, models: ShippedModels) -> State:
    return _read(models.copy, seed)


def dropped(seed: int, models: ShippedModels) -> State:
    """The weights are those after dropout, as PyTorch's attention returns them in training mode."""
    model = twin(models.copy)
    drop_from_seed(model, DROPPED, seed)
    return _read(model.train(), seed)


def summed(seed: int, models: ShippedModels) -> State:
    """The weights of the heads are added up and not averaged."""
    return _read(models.copy, seed, average=False)


def wrong_axis(seed: int, models: ShippedModels) -> State:
    """The softmax runs over the queries: the columns add up to 1, and not the rows."""
    return _read(broken(models.copy, "axis"), seed)


def row_sums(state: State) -> Tensor:
    found: Tensor = state["weights"].sum(-1)
    return found


def weights(state: State) -> Tensor:
    """With the sum of each row in one more column."""
    return torch.cat([state["weights"], row_sums(state)[:, None]], 1)


def largest_sum(state: State) -> float:
    return float(row_sums(state).max())


def _read(model: EncoderDecoder, seed: int, average: bool = True) -> State:
    """What the heads are seen to do as the model reads a sequence drawn from the seed."""
    src = Copy().pairs(1, torch.Generator().manual_seed(seed)).src
    with torch.no_grad(), record(model) as trace:
        model.encode(src, padding_mask(src))
    of_heads = trace[f"{FIRST}.dropped"][0]
    heads = cast(MultiHeadedAttention, model.get_submodule(FIRST)).h
    return {"model": model, "heads": heads, "weights": of_heads.mean(0) if average else of_heads.sum(0)}


ROWS = Symptom(
    "rows",
    healthy,
    (
        CheckedCause("dropped", dropped, "model.training"),
        CheckedCause("summed", summed, "torch.allclose(weights.sum(-1), torch.tensor(float(heads)))"),
        CheckedCause("wrong_axis", wrong_axis, "torch.allclose(weights.sum(-2), torch.tensor(1.0))"),
    ),
    weights,
    {"largest": largest_sum},
)
