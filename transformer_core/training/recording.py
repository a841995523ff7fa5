"""Which steps of a run are looked at: evenly spaced ones, and more of them while something changes."""

import math

from transformer_core.training.memory import EVEN, MORE
from transformer_core.training.report import Report
from transformer_core.training.settings import RunSettings

NEWEST = 0.3  # share of the newest batch in the mean of losses
MOVED = 0.03  # of the first loss: so far the mean has to move
TIMES = 4  # that the way asked for is doubled until the last further record
JUMPED = 1 / 8  # of the exact match, from one measurement to the next


def recorded_every(config: RunSettings) -> int:
    """Steps from one even record to the next: 5, more in a long run, so that there are about EVEN."""
    return max(5, math.ceil(config.steps / EVEN))


class Recording:
    """Decides it step by step, by what the run itself reports: the same run is recorded at the same steps each time.

    Besides the even records there are at most MORE: where the mean loss has moved since the last record, and twice as
    dense while the exact match jumps. The more there have been, the further the loss has to move, so that a loss that
    only trembles leaves some for what comes later.
    """

    def __init__(self, config: RunSettings) -> None:
        self.every = recorded_every(config)
        self.more = 0 if config.task == "random" else MORE  # that are left; random answers are never looked at
        self._first = self._loss = self._recorded = math.nan
        self._match, self._jumps = math.nan, False

    def due(self, report: Report) -> bool:
        """Whether the model of this report is recorded. To be asked once about each report, in their order."""
        if math.isnan(self._first):
            self._first = self._loss = self._recorded = report.loss
        self._loss += NEWEST * (report.loss - self._loss)
        if report.exact_match is not None:
            self._jumps = abs(report.exact_match - self._match) >= JUMPED
            self._match = report.exact_match
        even = report.step % self.every == 0
        if not even and not (self.more and (self._moved() or self._between(report.step))):
            return False
        self.more -= not even
        self._recorded = self._loss
        return True

    def _moved(self) -> bool:
        spent = TIMES * (MORE - self.more) // MORE
        return abs(self._loss - self._recorded) >= MOVED * self._first * 2**spent

    def _between(self, step: int) -> bool:
        """Half-way between even records, while the exact match jumps."""
        return self._jumps and step % max(1, self.every // 2) == 0
