"""The symptoms that can be made."""

from torch import Tensor

from transformer_core import EncoderDecoder
from transformer_core.exercises.symptoms.not_a_number import NOT_A_NUMBER
from transformer_core.exercises.symptoms.repeats import REPEATS
from transformer_core.exercises.symptoms.rows import ROWS

SYMPTOMS = {symptom.name: symptom for symptom in (REPEATS, NOT_A_NUMBER, ROWS)}


def numbers_of(symptom: str, cause: str, model: EncoderDecoder, seed: int = 0) -> Tensor:
    """(rows, columns) the numbers in which the symptom shows, or with no cause those of the healthy state."""
    of = SYMPTOMS[symptom]
    return of.show(of.state(cause, seed, model))
