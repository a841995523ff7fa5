"""One more check than the core can have: the formulas of the pages against the model's own numbers."""

from transformer_core.tasks import Vocabulary
from transformer_core.verify.checks import CHECKS, FLOAT32, Check, Subject
from ui.chapters.shared.forward.board import board
from ui.chapters.shared.forward.stops import stops
from ui.chapters.shared.forward.values import values_of
from ui.figures.evaluated import furthest
from ui.text import Words


def every_formula(subject: Subject) -> float:
    """The formula of every tensor of the forward pass, evaluated in float64 from the tensors it names, cell by cell.

    The furthest from the tensor itself, beside its largest number; of a large tensor the part that a page shows.
    """
    model = subject.examined
    values = values_of(model, subject.src, subject.tgt)
    names = [Vocabulary.of_numbers(len(values[f"{side}_embed.0.lut.weight"])) for side in ("src", "tgt")]
    words = Words("walkthrough", "en")
    boards = (board(stop, values, model, (names[0], names[1]), words, 0, 0, 0) for stop in stops(model))
    return max(found for found in map(furthest, boards) if found is not None)


EVERY = (*CHECKS, Check("formulas", FLOAT32, every_formula, of_the_model=True))
