"""Measured errors, kept for every break, and for every model and sequence where a check is about these."""

from typing import NamedTuple

import numpy as np
import torch

from transformer_core import PAD, START, EncoderDecoder
from transformer_core.verify import gradients
from transformer_core.verify.broken import Break
from transformer_core.verify.checks import Check, Subject
from transformer_core.verify.gradients import SampledWeight
from ui.cache import cached
from ui.chapters.shared.model_program import model_snippet
from ui.chapters.verify.formulas import EVERY
from ui.model import ModelAtHand, answer

Errors = dict[str, float | None]  # of every check by its name; None where it has not been measured


class Examined(NamedTuple):
    """What is checked, without its weights."""

    at_hand: ModelAtHand
    src: tuple[int, ...]
    how: Break

    def decoder_input(self) -> tuple[int, ...]:
        """What the decoder reads: the answer without its last token. A padding, which a model that has learned nothing
        may say, would be masked, and hide what a mask lets through: the start symbol stands for it."""
        return tuple(START if token == PAD else token for token in answer(self.at_hand, self.src)[:-1]) or (START,)

    def known(self) -> Errors:
        """What anybody has measured on this server; nothing is measured here."""
        found = {check.name: cached.get(self._key(check)) for check in EVERY}
        return {name: None if error is None else float(error) for name, error in found.items()}

    def measure(self, check: Check, model: EncoderDecoder) -> float:
        """The error, measured now if need be, by one reader at a time; the others get it from there."""
        subject = Subject(model, torch.tensor([self.src]), torch.tensor([self.decoder_input()]), self.how)
        return float(cached.get_or_make(self._key(check), lambda: np.array(check.measure(subject))))

    def sampled(self, model: EncoderDecoder) -> list[SampledWeight]:
        """A weight of each parameter, measured once for all readers."""
        src, tgt = torch.tensor([self.src]), torch.tensor([self.decoder_input()])
        return cached.get_or_make(
            ("sampled", self.how, self.at_hand, self.src), lambda: gradients.sampled(model, src, tgt, self.how)
        )

    def _key(self, check: Check) -> tuple[object, ...]:
        return ("check", check.name, self.how, *((self.at_hand, self.src) if check.of_the_model else ()))

    @property
    def program(self) -> str:
        return (
            f"{model_snippet(self.at_hand)}from transformer_core.verify.checks import checked\n"
            "from ui.chapters.verify.formulas import EVERY\n\n"
            f"src, tgt = torch.tensor([{list(self.src)}]), torch.tensor([{list(self.decoder_input())}])\n"
            f"errors = checked(model, src, tgt, {self.how!r}, EVERY)\n"
            "shown = torch.tensor([[errors[check.name], check.tolerance] for check in EVERY], dtype=torch.float64)\n"
            "for check in EVERY:\n"
            "    verdict = 'passed' if check.holds(errors[check.name]) else 'FAILED'\n"
            "    print(f'{check.name:14} {errors[check.name]:8.1e} {check.tolerance:8.1e} {verdict}')\n"
        )
