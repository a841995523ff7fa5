"""Every check with its tolerance, in the order in which they are read.

A tolerance leaves room for rounding on any processor, and none for a mistake: float64 has 2e-16 to a number, float32,
in which models learn, 1e-7, and a whole pass adds up many.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from torch import Tensor

from transformer_core.model import EncoderDecoder
from transformer_core.verify import gradients, laws, parity
from transformer_core.verify.broken import Break, broken
from transformer_core.verify.formulas import notes_classes

FLOAT64 = 1e-12
FLOAT32 = 1e-4
DIFFERENCES = 1e-7  # of a function over a finite step
DECODED = 10  # tokens that are decoded one by one
CODE = 20  # size of the position code that is turned


class Subject(NamedTuple):
    """What is checked: a model in evaluation mode, which is never changed, with a source and an output to read."""

    model: EncoderDecoder
    src: Tensor  # (1, S)
    tgt: Tensor  # (1, T)
    how: Break = "none"

    @property
    def examined(self) -> EncoderDecoder:
        return broken(self.model, self.how)


class Check(NamedTuple):
    """A statement about the code (with small random models of its own) or about the model of the subject."""

    name: str
    tolerance: float
    measure: Callable[[Subject], float]  # the error; NaN is no number, and none within the tolerance
    of_the_model: bool = False

    def holds(self, error: float) -> bool:
        return error <= self.tolerance


CHECKS = (
    Check("attention", FLOAT64, lambda subject: parity.multi_head_attention(subject.how)),
    Check("norm", FLOAT64, lambda subject: parity.layer_norm()),
    Check("encoder_layer", FLOAT64, lambda subject: parity.encoder_layer(subject.how)),
    Check("decoder_layer", FLOAT64, lambda subject: parity.decoder_layer(subject.how)),
    Check("transformer", FLOAT64, lambda subject: parity.both_forms(subject.how)),
    Check("notes", FLOAT64, lambda subject: notes_classes(subject.how)),
    Check("jacobian", DIFFERENCES, lambda subject: gradients.jacobian_of_softmax()),
    Check("gradients", DIFFERENCES, lambda subject: gradients.every_gradient(subject.how)),
    Check("by_hand", FLOAT64, lambda subject: gradients.by_hand(subject.how)),
    Check("rotation", FLOAT64, lambda subject: laws.rotation(CODE)),
    Check(
        "own_parity",
        FLOAT32,
        lambda subject: parity.transformer(subject.model, subject.src, subject.tgt, subject.how),
        of_the_model=True,
    ),
    Check(
        "own_gradients",
        DIFFERENCES,
        lambda subject: gradients.own(subject.model, subject.src, subject.tgt, subject.how),
        of_the_model=True,
    ),
    Check("rows", FLOAT32, lambda s: laws.rows_sum_to_one(s.examined, s.src, s.tgt), of_the_model=True),
    Check("causality", 0.0, lambda s: laws.causality(s.examined, s.src, s.tgt), of_the_model=True),
    Check("padding", FLOAT32, lambda s: laws.padding(s.examined, s.src, s.tgt), of_the_model=True),
    Check("steps", FLOAT32, lambda s: laws.step_by_step(s.examined, s.src, DECODED), of_the_model=True),
    Check("recorded", 0.0, lambda s: laws.recorded(s.examined, s.src, s.tgt), of_the_model=True),
)


def checked(
    model: EncoderDecoder, src: Tensor, tgt: Tensor, how: Break = "none", checks: Sequence[Check] = CHECKS
) -> dict[str, float]:
    """The measured error of each check, by its name."""
    return {check.name: check.measure(Subject(model, src, tgt, how)) for check in checks}
