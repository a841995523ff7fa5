"""What is kept of a reader's runs besides the one on the page: their curves, thinned, for pictures and tables."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from transformer_core.training.config import TrainConfig
from ui.training_service.registry import Learned, Snapshot

KEPT_RUNS = 8  # of one reader
POINTS = 500  # of a curve: more cannot be told apart; a run keeps 8 KB at most


@dataclass(frozen=True)
class EarlierRun:
    """A run as far as it has come. It holds no weights, and no maps."""

    config: TrainConfig
    state: str  # as a `Snapshot` has it
    reason: str
    step: int
    spent: float  # seconds that its worker has worked on it
    learned: Learned | None
    loss: np.ndarray  # (2, n) float32: steps and values, as in the next one
    match: np.ndarray  # exact match, where it was measured

    @property
    def over(self) -> bool:
        """It has come to its end, or to the step at which it diverged."""
        return self.state in ("done", "failed")

    @property
    def going(self) -> bool:
        return self.state in ("waiting", "queued", "running")

    @property
    def last_loss(self) -> float | None:
        """On average over the last tenth of what is known of it: a single batch says little."""
        count = self.loss.shape[1]
        return float(self.loss[1, -max(1, count // 10) :].mean()) if count else None

    @property
    def last_match(self) -> float | None:
        return float(self.match[1, -1]) if self.match.shape[1] else None


def earlier_run_of(seen: Snapshot) -> EarlierRun:
    history = seen.history
    drawn, checked = thinned(len(history.step)), np.flatnonzero(np.isfinite(history.exact_match))
    checked = checked[thinned(len(checked))]
    loss, match = (
        np.stack([history.step[at].astype(np.float32), values[at]])
        for at, values in ((drawn, history.loss), (checked, history.exact_match))
    )
    return EarlierRun(seen.config, seen.state, seen.reason, seen.step, seen.spent, seen.learned, loss, match)


def thinned(count: int) -> np.ndarray:
    """Indices of at most POINTS of so many, evenly, always with the last."""
    return np.unique(np.linspace(0, count - 1, min(count, POINTS)).astype(int)) if count else np.empty(0, int)


def with_one_more(earlier: Sequence[EarlierRun], one: EarlierRun) -> tuple[EarlierRun, ...]:
    """In the order of their beginning, each run once: of one that was trained again the later. The first have to go."""
    return (*(other for other in earlier if other.config != one.config), one)[-KEPT_RUNS:]


def laid_aside(runs: Sequence[EarlierRun]) -> tuple[EarlierRun, ...]:
    """As they are once nobody trains them any more."""
    return tuple(replace(one, state="stopped") if one.going else one for one in runs)
