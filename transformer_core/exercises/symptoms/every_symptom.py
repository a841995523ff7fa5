"""The symptoms that can be made."""

import torch
from torch import Tensor

from transformer_core.exercises.symptoms.alone import ALONE
from transformer_core.exercises.symptoms.ends import ENDS
from transformer_core.exercises.symptoms.forced import FORCED
from transformer_core.exercises.symptoms.not_a_number import NOT_A_NUMBER
from transformer_core.exercises.symptoms.repeats import REPEATS
from transformer_core.exercises.symptoms.rows import ROWS
from transformer_core.exercises.symptoms.stuck import STUCK
from transformer_core.exercises.symptoms.symptom import ShippedModels
from transformer_core.exercises.symptoms.validation import VALIDATION

SYMPTOMS = {symptom.name: symptom for symptom in (REPEATS, NOT_A_NUMBER, STUCK, FORCED, ROWS, ENDS, ALONE, VALIDATION)}


def numbers_of(symptom: str, cause: str, models: ShippedModels, seed: int = 0) -> Tensor:
    """(rows, columns) the numbers in which the symptom shows, or with no cause those of the healthy state."""
    of = SYMPTOMS[symptom]
    return of.show(of.state(cause, seed, models))


def both_lanes(symptom: str, cause: str, models: ShippedModels, seed: int = 0) -> Tensor:
    """(steps, columns) the numbers of a symptom that shows in curves, then those of the healthy state; the first column
    is the step, of both."""
    here, healthy = (numbers_of(symptom, made, models, seed) for made in (cause, ""))
    return torch.cat([here, healthy[:, 1:]], 1)
