"""A process that trains, and measures layers, for readers of a server, a slice of time each.

    python -m ui.training_service.worker

Commands come on stdin, one JSON object per line: {"do": "start", "run": "a", "config": {…}} trains, and {"do":
"measure", "run": "b", "d": 64, "kernel": 3} measures layers. Reports leave on stdout as `messages`. When stdin closes,
the server has ended, and so does the worker.
"""

import json
import logging
import os
import pickle
import queue
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any, Self

import numpy as np
import torch

from transformer_core.experiments.sequence_layers import LAYERS, Point, measure
from transformer_core.training.any_run import AnyConfig, AnyRun, config_from, nothing_told, run_of
from transformer_core.training.run import Exploded
from ui.training_service import protocol
from ui.training_service.memory_budget import give_back_what_is_free

SLICE = 0.05  # seconds a run keeps the processor before the next one's turn; a single step is never cut
SMALL_MODEL = 300_000  # parameters; the weights of such a model travel with the reports
WEIGHTS_EVERY = 0.5  # seconds

_log = logging.getLogger("ui.training_service.worker")  # also where it is the program

Send = Callable[[dict[str, Any], dict[str, np.ndarray]], None]


class Job:
    """Work of any kind, a piece at a time."""

    def __init__(self, run: str, turn: float) -> None:
        self.id = run
        self.state = "running"
        self.reason = ""  # why it failed
        self.spent = 0.0  # seconds of work
        self.turn = turn  # the same, counted as if it had been here from the first: whose turn it is by fair shares

    @cached_property
    def _work(self) -> Iterator[Any]:
        """Reports, and None where it may be interrupted."""
        raise NotImplementedError

    @property
    def step(self) -> int:
        return 0

    @property
    def unseen(self) -> bool:
        """A reader waits for the first that there is to see of it."""
        return False

    def work(self, seconds: float) -> list[Any]:
        """Work for about `seconds`, at least one piece; the new reports."""
        started, reports = time.perf_counter(), list[Any]()
        while self.state == "running":
            try:
                report = next(self._work)
            except StopIteration:
                self.state = "done"
                break
            except Exception as problem:  # one reader's run must not end the others'
                self.state, self.reason = "failed", _reason(problem)
                break
            if report is not None:
                reports.append(report)
                if self.reported(reports):
                    break
            if time.perf_counter() - started >= seconds:
                break
        self.spent += time.perf_counter() - started
        self.turn += time.perf_counter() - started
        return reports

    def reported(self, reports: list[Any]) -> bool:
        """A report has come, the last of these. Whether it is to be told before there is another."""
        return False

    def arrays(self, reports: list[Any]) -> dict[str, np.ndarray]:
        """What is told after a turn."""
        raise NotImplementedError


class MeasuringJob(Job):
    """The layers of table 1 at work, point by point."""

    def __init__(self, run: str, d: int, kernel: int, turn: float) -> None:
        super().__init__(run, turn)
        self.d, self.kernel = d, kernel

    @cached_property
    def _work(self) -> Iterator[Point | None]:
        return measure(self.d, self.kernel)

    def arrays(self, reports: list[Point]) -> dict[str, np.ndarray]:
        """A row per point: number of the layer, n, seconds there and back, bytes."""
        rows = [(list(LAYERS).index(point.layer), *point[1:]) for point in reports]
        return {"points": np.array(rows, np.float64)} if rows else {}


class TrainingJob(Job):
    """One run at work. `until` is the step at which to pause; `want` says what is wanted of it:

    its "reports" (with what they measure), only its "weights" at the end, or a "look" at the untrained model.
    """

    def __init__(self, run: str, config: AnyConfig, until: int | None, want: str, turn: float) -> None:
        super().__init__(run, turn)
        self.config = config
        self.until = until
        self.want = want
        self.weights_sent = time.perf_counter()
        self._last: Any = None  # report of the run's

    @cached_property
    def training(self) -> AnyRun:  # built in the run's own turn
        return run_of(self.config)

    @property
    def step(self) -> int:
        return self.training.step if "training" in vars(self) else 0

    @property
    def unseen(self) -> bool:
        return self.want != "weights" and self._last is None

    @cached_property
    def _work(self) -> Iterator[Any]:
        return _updates(self.training) if self.want == "weights" else self.training.work()

    def reported(self, reports: list[Any]) -> bool:
        self._last = reports[-1]
        if self.want == "look":
            self.state = "done"
        elif self._last.step == self.until and self._last.step < self.config.steps:
            self.state = "paused"
            reports[-1:] = self.rest()
        return self._last.step in self.config.moments

    def arrays(self, reports: list[Any]) -> dict[str, np.ndarray]:
        small = self.config.parameters <= SMALL_MODEL
        due = small and self.want == "reports" and time.perf_counter() - self.weights_sent >= WEIGHTS_EVERY
        due |= self.state in ("paused", "done") or (bool(reports) and reports[-1].step in self.config.moments)
        return self.report(reports, weights=self.want != "look" and due)

    def report(self, reports: list[Any], *, weights: bool) -> dict[str, np.ndarray]:
        """The reports as arrays, and the weights if they are to be sent."""
        known = reports and self.want != "weights"
        arrays: dict[str, np.ndarray] = nothing_told(self.config).of(reports)._asdict() if known else {}
        if weights:
            arrays["weights"] = self.weights()
            self.weights_sent = time.perf_counter()
        return arrays

    def rest(self) -> list[Any]:
        """The last report once more, with what is recorded now and then: a run that rests is looked at."""
        if self._last is not None and self.want == "reports":
            self._last = self.training.rested(self._last)
        return [] if self._last is None else [self._last]

    def packed(self) -> np.ndarray:
        """All that its next numbers depend on, as bytes, uint8: for another worker, which runs the same code."""
        state = {name: value for name, value in vars(self).items() if name != "_work"}
        return np.frombuffer(pickle.dumps(state), np.uint8)

    @classmethod
    def unpacked(cls, packed: bytes) -> Self:
        job = object.__new__(cls)
        vars(job).update(pickle.loads(packed))
        job.weights_sent = time.perf_counter()  # by this machine's clock
        return job

    def weights(self) -> np.ndarray:
        return torch.nn.utils.parameters_to_vector(self.training.model.parameters()).detach().numpy()


class Scheduler:
    """All jobs of the process. `send` takes a header and arrays, as `messages.write` does."""

    def __init__(self, send: Send) -> None:
        self.jobs: dict[str, Job] = {}
        self._send = send
        self._turns = 0

    @property
    def running(self) -> list[Job]:
        return [job for job in self.jobs.values() if job.state == "running"]

    def obey(self, command: dict[str, Any]) -> None:
        """Carry out one command. Those about a run that has ended meanwhile come too late and are ignored."""
        do, run = command["do"], command["run"]
        least = min((job.turn for job in self.running), default=0.0)
        if do == "start":
            try:
                self.jobs[run] = TrainingJob(
                    run, config_from(command["config"]), command["until"], command["want"], least
                )
            except Exception as problem:
                self._send({"run": run, "state": "failed", "step": 0, "reason": _reason(problem)}, {})
            return
        if do == "measure":
            self.jobs[run] = MeasuringJob(run, command["d"], command["kernel"], least)
            return
        job = self.jobs.get(run)
        if job is None:
            return
        if do == "stop":
            del self.jobs[run], job
            give_back_what_is_free()
            return
        assert isinstance(job, TrainingJob), "only a run is steered"
        if do == "pause":
            job.state = "paused"
            self._tell(job, job.report(job.rest(), weights=True))
        elif do in ("resume", "step"):
            job.turn = max(job.turn, least)  # having waited gives no right to the processor now
            job.state, job.until = "running", job.step + 1 if do == "step" else None
            self._tell(job, {})
        elif do == "weights":
            self._tell(job, job.report([], weights=True))

    def turn(self) -> None:
        """A slice of time: now for who has had the least of all, now for the next one by fair shares.

        So a short run ends soon, however many long ones there are, and every run moves. Runs of which nothing has been
        seen yet come before those with the least, in the order of their coming: taken in turn, all would be seen late.
        """
        self._turns += 1
        if self._turns % 2:
            job = min(self.running, key=lambda job: (0, 0.0) if job.unseen else (1, job.spent))
        else:
            job = min(self.running, key=lambda job: job.turn)
        reports = job.work(SLICE)
        self._tell(job, job.arrays(reports))
        if job.state in ("done", "failed"):
            del self.jobs[job.id], job
            give_back_what_is_free()

    def _tell(self, job: Job, arrays: dict[str, np.ndarray]) -> None:
        header = {"run": job.id, "state": job.state, "step": job.step, "reason": job.reason, "spent": job.spent}
        self._send(header, arrays)


def main() -> None:
    torch.set_num_threads(1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is meant for the app, which then closes stdin
    commands: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(commands,), daemon=True).start()
    out = sys.stdout.buffer
    scheduler = Scheduler(lambda header, arrays: protocol.write(out, header, arrays))
    try:
        while True:
            while not scheduler.running or not commands.empty():
                scheduler.obey(commands.get())
            scheduler.turn()
    except BrokenPipeError:  # the server was killed while a report was on its way
        os._exit(0)


def _listen(commands: "queue.SimpleQueue[dict[str, Any]]") -> None:
    for line in sys.stdin:
        commands.put(json.loads(line))
    os._exit(0)  # at once, also out of a long step


def _reason(problem: Exception) -> str:
    if isinstance(problem, ArithmeticError):
        return "exploded" if isinstance(problem, Exploded) else "diverged"
    _log.error("a run failed", exc_info=problem)
    return "broken"


def _updates(training: AnyRun) -> Iterator[Any]:
    while training.step < training.config.steps:
        yield training.update()


if __name__ == "__main__":
    main()
