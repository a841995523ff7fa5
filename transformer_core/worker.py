"""The process that trains for all readers of a server, a slice of time each.

    python -m transformer_core.worker

Commands come on stdin, one JSON object per line: {"do": "start", "run": "a", "config": {…}}. Reports leave on stdout as
`messages`. When stdin closes, the server has ended, and so does the worker.
"""

import json
import os
import queue
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

import numpy as np
import torch

from transformer_core import messages
from transformer_core.history import History
from transformer_core.train_config import TrainConfig
from transformer_core.training_run import Report, TrainingRun
from transformer_core.without_compiler import without_compiler

SLICE = 0.05  # seconds a run keeps the processor before the next one's turn; a single step is never cut
SMALL_MODEL = 300_000  # parameters; the weights of such a model travel with the reports
WEIGHTS_EVERY = 0.5  # seconds
NICENESS = 10  # the app's own process comes first

Send = Callable[[dict[str, Any], dict[str, np.ndarray]], None]


class Job:
    """One run at work. `until` is the step at which to pause; `want` says what is wanted of it:

    its "reports" (with what they measure), only its "weights" at the end, or a "look" at the untrained model.
    """

    def __init__(self, run: str, config: TrainConfig, until: int | None, want: str, turn: float) -> None:
        self.id = run
        self.config = config
        self.until = until
        self.want = want
        self.state = "running"
        self.reason = ""  # why it failed
        self.spent = 0.0  # seconds of work
        self.turn = turn  # the same, counted as if it had been here from the first: whose turn it is by fair shares
        self.weights_sent = time.perf_counter()
        self._last: Report | None = None

    @cached_property
    def training(self) -> TrainingRun:  # built in the run's own turn
        return TrainingRun(self.config)

    @property
    def step(self) -> int:
        return self.training.step if "training" in vars(self) else 0

    @cached_property
    def _work(self) -> Iterator[Report | None]:
        return _updates(self.training) if self.want == "weights" else self.training.work()

    def work(self, seconds: float) -> list[Report]:
        """Train for about `seconds`, at least one piece of work; the new reports."""
        started, reports = time.perf_counter(), []
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
                self._last = report
                if self.want == "look":
                    self.state = "done"
                elif report.step == self.until and report.step < self.config.steps:
                    self.state = "paused"
                    reports[-1:] = self.rest()
            if time.perf_counter() - started >= seconds:
                break
        self.spent += time.perf_counter() - started
        self.turn += time.perf_counter() - started
        if self.state != "failed":
            self.training.forget_maps()
        return reports

    def rest(self) -> list[Report]:
        """The last report once more, with what is recorded now and then: a run that rests is looked at."""
        if self._last is not None and self._last.probe is None and self.want == "reports":
            self._last = self.training.looked(self._last)
        return [] if self._last is None else [self._last]

    def weights(self) -> np.ndarray:
        return torch.nn.utils.parameters_to_vector(self.training.model.parameters()).detach().numpy()


class Worker:
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
                config = TrainConfig.from_dict(command["config"])
                self.jobs[run] = Job(run, config, command["until"], command["want"], least)
            except Exception as problem:
                self._send({"run": run, "state": "failed", "step": 0, "reason": _reason(problem)}, {})
            return
        job = self.jobs.get(run)
        if job is None:
            return
        if do == "stop":
            del self.jobs[run]
        elif do == "pause":
            job.state = "paused"
            self._tell(job, job.rest(), weights=True)
        elif do in ("resume", "step"):
            job.turn = max(job.turn, least)  # having waited gives no right to the processor now
            job.state, job.until = "running", job.step + 1 if do == "step" else None
            self._tell(job, [], weights=False)
        elif do == "weights":
            self._tell(job, [], weights=True)

    def turn(self) -> None:
        """A slice of time: now for the run that has had the least of all, now for the next one by fair shares.

        So a short run ends soon, however many long ones there are, and every run moves.
        """
        self._turns += 1
        job = min(self.running, key=(lambda job: job.spent) if self._turns % 2 else (lambda job: job.turn))
        reports = job.work(SLICE)
        small = job.config.parameters <= SMALL_MODEL
        due = small and job.want == "reports" and time.perf_counter() - job.weights_sent >= WEIGHTS_EVERY
        self._tell(job, reports, weights=job.want != "look" and (due or job.state in ("paused", "done")))
        if job.state in ("done", "failed"):
            del self.jobs[job.id]

    def _tell(self, job: Job, reports: list[Report], *, weights: bool) -> None:
        arrays = History.of(reports)._asdict() if reports and job.want != "weights" else {}
        if weights:
            arrays["weights"] = job.weights()
            job.weights_sent = time.perf_counter()
        header = {"run": job.id, "state": job.state, "step": job.step, "reason": job.reason}
        self._send(header, arrays)


def main() -> None:
    without_compiler()
    torch.set_num_threads(1)
    os.nice(NICENESS)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is meant for the app, which then closes stdin
    commands: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(commands,), daemon=True).start()
    out = sys.stdout.buffer
    worker = Worker(lambda header, arrays: messages.write(out, header, arrays))
    try:
        while True:
            while not worker.running or not commands.empty():
                worker.obey(commands.get())
            worker.turn()
    except BrokenPipeError:  # the server was killed while a report was on its way
        os._exit(0)


def _listen(commands: "queue.SimpleQueue[dict[str, Any]]") -> None:
    for line in sys.stdin:
        commands.put(json.loads(line))
    os._exit(0)  # at once, also out of a long step


def _reason(problem: Exception) -> str:
    if isinstance(problem, ArithmeticError):
        return "diverged"
    traceback.print_exception(problem)
    return "broken"


def _updates(training: TrainingRun) -> Iterator[Report]:
    while training.step < training.config.steps:
        yield training.update()


if __name__ == "__main__":
    main()
