"""An engine whose one worker is this process: it trains when it is told to, or at once."""

from collections.abc import Mapping
from typing import Any

from ui.training_service.engine import Hear, Load, Lose
from ui.training_service.worker import Scheduler


class InProcess:
    """The engine, and its worker, which works so many `turns` whatever it is sent; None: until all runs rest."""

    trouble, place, count, alive = "", "", 1, True

    def __init__(self, hear: Hear, lose: Lose, turns: int | None = 0) -> None:
        self._hear, self._lose, self.turns = hear, lose, turns
        self.sent = list[Mapping[str, Any]]()
        self._begin()

    def _begin(self) -> None:
        self.scheduler = Scheduler(lambda header, arrays: self._hear(self, header, arrays))

    def worker(self, load: Load) -> "InProcess":
        return self

    def send(self, command: Mapping[str, Any]) -> None:
        self.sent.append(command)
        self.scheduler.obey(dict(command))
        self.work(self.turns)

    def work(self, turns: int | None = None) -> None:
        """So many turns, or until all runs rest."""
        while self.scheduler.running and turns != 0:
            self.scheduler.turn()
            turns = None if turns is None else turns - 1

    def die(self) -> None:
        """With all that it had in memory."""
        self._begin()
        self._lose(self)

    def warm(self) -> None: ...

    def close(self) -> None: ...
