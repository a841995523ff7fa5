"""A model that writes one token again and again, while it decodes greedily."""

import math

import torch
from torch import Tensor
from torch.nn.functional import nll_loss

from transformer_core import EncoderDecoder, padding_mask, subsequent_mask
from transformer_core.exercises.symptoms.symptom import CheckedCause, ShippedModels, State, Symptom
from transformer_core.training.config import TrainConfig
from transformer_core.training.models import fresh_model

VOCAB, LENGTH = 11, 10


def healthy(seed: int, models: ShippedModels) -> State:
    return _decoded(models.copy, seed)


def not_appended(seed: int, models: ShippedModels) -> State:
    """What is written is not given to the decoder: each step reads the start symbol alone."""
    return _decoded(models.copy, seed, grows=False)


def first_position(seed: int, models: ShippedModels) -> State:
    """Each step reads the prediction of the first position, and not of the last one."""
    return _decoded(models.copy, seed, position=0)


def untrained(seed: int, models: ShippedModels) -> State:
    """The weights are those before training, as where a file was not loaded."""
    return _decoded(fresh_model(TrainConfig(vocab=VOCAB, seed=seed)).eval(), seed)


def probabilities(state: State) -> Tensor:
    """(steps, vocabulary) what the model chooses each token from."""
    found: Tensor = state["probabilities"]
    return found


def repeated(state: State) -> float:
    """The share that the commonest token has in what is written."""
    written = state["written"]
    return float(written.bincount().max() / len(written))


def _decoded(model: EncoderDecoder, seed: int, grows: bool = True, position: int = -1) -> State:
    """The source is a drawn order of the nine other tokens, behind the start symbol; no token occurs twice."""
    drawn = torch.randperm(VOCAB - 2, generator=torch.Generator().manual_seed(seed)) + 2
    src = torch.cat([torch.ones(1, dtype=torch.long), drawn])[None]
    ys, given, found, places = src[:, :1], [], [], []
    with torch.inference_mode():
        memory = model.encode(src, padding_mask(src))
        for _ in range(LENGTH - 1):
            read = ys if grows else ys[:, :1]
            log_probs = model.generator(model.decode(memory, padding_mask(src), read, subsequent_mask(read.size(1))))
            found.append(log_probs[0, position])
            given.append(read.size(1))
            places.append(position % read.size(1))
            ys = torch.cat([ys, found[-1].argmax()[None, None]], 1)
        inputs = src[:, :-1]
        right = model.generator(model.decode(memory, padding_mask(src), inputs, subsequent_mask(inputs.size(1))))
        loss = float(nll_loss(right[0], src[0, 1:]))
    decided = {"written": ys[0, 1:], "probabilities": torch.stack(found).exp()}
    return decided | {"lengths": given, "places": places, "loss": loss, "guessing": math.log(VOCAB - 1)}


REPEATS = Symptom(
    "repeats",
    healthy,
    (
        CheckedCause("not_appended", not_appended, "lengths[-1] == lengths[0]"),
        CheckedCause("first_position", first_position, "places[-1] != lengths[-1] - 1"),
        CheckedCause("untrained", untrained, "loss > 0.8 * guessing"),
    ),
    probabilities,
    {"share": repeated},
)
