"""Settings of the chapter on the loss."""

from dataclasses import dataclass

from ui.settings.compared import Compared, subject
from ui.settings.fields import Folding, cell, real, reply, text, whole


@dataclass(frozen=True)
class Loss(Compared, Folding):
    delta: str = subject("generator.log_probs")
    smoothing: float = real(0.5, 0.0, 0.9)
    vocabulary: int = whole(5, 3, 20)
    targets: str = text("2 1 0", 80)
    picture: tuple[str, int, int] | None = cell()
    asked_smoothing: float = real(0.1, 0.0, 0.9)  # of the divergence; the paper's
    cell: tuple[str, int, int] | None = cell()
    width: int = whole(512, 16, 1024)  # d_model of the Noam curve
    factor: float = real(1.0, 0.1, 4.0)
    warmup: int = whole(4000, 10, 8000)
    at: int = whole(4000, 1, 20_000)  # step that is read off the curve
    learned: str | None = reply()
    random_seed: int = whole(0, 0, 20)  # of the run on random answers
    trained: str = text("", 20)  # the seed of the run that was trained
    ask_share: str | None = reply()
    ask_warmup: str | None = reply()
