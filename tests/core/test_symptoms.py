"""Each symptom is really there, whichever cause makes it, and each cause's line is true of that cause alone."""

from functools import cache
from pathlib import Path

import pytest
import torch

from transformer_core import EncoderDecoder
from transformer_core.exercises.symptoms.every_symptom import SYMPTOMS
from transformer_core.exercises.symptoms.symptom import Symptom, holds
from transformer_core.training.checkpoint import load

SEEDS = range(21)  # those that the page offers
ILL = {"repeats": 0.3, "nan": 0.5, "rows": 1.01}  # more than this in every ill state, and less in the healthy one
EVERY = [(symptom, cause.name) for symptom in SYMPTOMS.values() for cause in symptom.causes]


@cache
def model() -> EncoderDecoder:
    return load(Path("assets/model/copy.safetensors")).model


@pytest.mark.parametrize(("symptom", "cause"), EVERY, ids=[f"{one.name}-{cause}" for one, cause in EVERY])
def test_a_cause_makes_its_symptom_and_the_healthy_state_lacks_it(symptom: Symptom, cause: str) -> None:
    for seed in SEEDS:
        assert symptom.measure(symptom.state(cause, seed, model())) > ILL[symptom.name]
        assert symptom.measure(symptom.state("", seed, model())) < ILL[symptom.name]


@pytest.mark.parametrize("symptom", SYMPTOMS.values(), ids=list(SYMPTOMS))
def test_the_line_of_a_cause_is_true_of_this_cause_alone(symptom: Symptom) -> None:
    for seed in SEEDS:
        for made in ("", *(cause.name for cause in symptom.causes)):
            state = symptom.state(made, seed, model())
            found = [cause.name for cause in symptom.causes if holds(cause, state)]
            assert found == [made] * bool(made)


def test_pytorchs_own_attention_returns_such_rows_in_training_mode() -> None:
    """The app draws what is dropped from a generator; the module itself draws from the common stream."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        attention, x = torch.nn.MultiheadAttention(16, 4, dropout=0.4, batch_first=True), torch.randn(3, 7, 16)
        assert attention.train()(x, x, x)[1].sum(-1).max() > ILL["rows"]
        assert attention.eval()(x, x, x)[1].sum(-1).max() < ILL["rows"]
