"""One row of the loss by hand (paper, section 5.4): the smoothed target t, the gradient p − t, and −ln p."""

from collections.abc import Mapping
from random import Random
from typing import NamedTuple

import torch
from torch import Tensor

from transformer_core.backward import loss_gradient
from transformer_core.exercises.worksheet.exercise import Blanks, ExerciseKind, row
from transformer_core.loss import smoothed_targets

TOKENS = ("⟨pad⟩", "A", "B", "C")
PAD, V = 0, len(TOKENS)


class LossGivens(NamedTuple):
    tenths: tuple[int, ...]  # (4,) of each token's probability
    answer: int  # which token is right
    smoothing: float

    @property
    def p(self) -> Tensor:
        """(4,) float64."""
        return torch.tensor(self.tenths, dtype=torch.float64) / 10

    @property
    def others(self) -> list[int]:
        """The tokens that are neither right nor padding."""
        return [token for token in range(V) if token not in (PAD, self.answer)]


def steps(givens: LossGivens) -> tuple[Tensor, Tensor]:
    """The target and the gradient of the logits, (4,) each."""
    t = smoothed_targets(torch.tensor([givens.answer]), V, PAD, givens.smoothing)[0].double()
    return t, loss_gradient(givens.p.log(), t, ntokens=1)


def draw(chance: Random) -> LossGivens | None:
    tenths = tuple(chance.randint(1, 6) for _ in TOKENS)
    return LossGivens(tenths, chance.randint(1, V - 1), chance.choice([0.2, 0.4])) if sum(tenths) == 10 else None


def right(givens: LossGivens) -> Blanks:
    t, gradient = steps(givens)
    return _blanks(t, gradient) | row("loss", ("−ln p",), -givens.p[givens.answer].log().unsqueeze(0))


def slips(givens: LossGivens) -> Mapping[str, Blanks]:
    answer, smoothing, p = givens.answer, givens.smoothing, givens.p
    sharp = smoothed_targets(torch.tensor([answer]), V, PAD, 0.0)[0].double()
    over_padding = torch.where(sharp == 1, 1 - smoothing, smoothing / (V - 1))
    over_all = sharp * (1 - smoothing) + smoothing / V

    def instead(t: Tensor, *same: int) -> Blanks:
        """With another target, which is the `same` for some tokens."""
        t = t.index_fill(0, torch.tensor(same, dtype=torch.long), torch.nan)
        return _blanks(t, p - t)

    ln_p = p[answer].log()
    numbers = {"log_two": -ln_p / torch.tensor(2.0).log(), "log_ten": -p[answer].log10(), "no_minus": ln_p}
    return {
        "not_smoothed": instead(sharp, PAD),
        "over_padding": instead(over_padding, answer),
        "over_all": instead(over_all),
        "t_minus_p": _row("gradient", -steps(givens)[1]),
        "one_minus_p": row("loss", ("−ln p",), (1 - p[answer]).unsqueeze(0)),
        **{name: row("loss", ("−ln p",), value.unsqueeze(0)) for name, value in numbers.items()},
    }


def _blanks(t: Tensor, gradient: Tensor) -> dict[tuple[str, str], float]:
    return {**_row("target", t), **_row("gradient", gradient)}


def _row(name: str, numbers: Tensor) -> Blanks:
    return row(name, [f"{name[0]}({token})" for token in TOKENS], numbers)


LOSS = ExerciseKind("loss", draw, right, slips)
