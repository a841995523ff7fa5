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
from dataclasses import replace
from typing import Any

import numpy as np
import torch

from transformer_core import messages
from transformer_core.history import History
from transformer_core.train_config import TrainConfig
from transformer_core.training_run import Report, TrainingRun

SLICE = 0.05  # seconds a run keeps the processor before the next one's turn; a single step is never cut
SMALL_MODEL = 300_000  # parameters; the weights of such a model travel with the reports
WEIGHTS_EVERY = 0.5  # seconds
NICENESS = 10  # the app's own process comes first

Send = Callable[[dict[str, Any], dict[str, np.ndarray]], None]


class Job:
    """One run at work. `until` is the step at which to pause; `measured` is False when only the weights are wanted."""

    def __init__(self, run: str, config: TrainConfig, until: int | None, measured: bool, spent: float) -> None:
        self.id = run
        self.training = TrainingRun(config)
        self.until = until
        self.state = "running"
        self.reason = ""  # why it failed
        self.spent = spent  # seconds of work, the measure of whose turn it is
        self.weights_sent = time.perf_counter()
        self._measured = measured
        self._work = self.training.work() if measured else _updates(self.training)
        self._last: Report | None = None

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
                if report.step == self.until and report.step < self.training.config.steps:
                    self.state = "paused"
                    reports[-1:] = self.rest()
            if time.perf_counter() - started >= seconds:
                break
        self.spent += time.perf_counter() - started
        return reports

    def rest(self) -> list[Report]:
        """The last report once more, with the probe as it is now: a run that rests is looked at."""
        if self._last is not None and self._last.probe is None and self._measured:
            self._last = replace(self._last, probe=self.training.look())
        return [] if self._last is None else [self._last]

    def weights(self) -> np.ndarray:
        return torch.nn.utils.parameters_to_vector(self.training.model.parameters()).detach().numpy()


class Worker:
    """All jobs of the process. `send` takes a header and arrays, as `messages.write` does."""

    def __init__(self, send: Send) -> None:
        self.jobs: dict[str, Job] = {}
        self._send = send

    @property
    def running(self) -> list[Job]:
        return [job for job in self.jobs.values() if job.state == "running"]

    def obey(self, command: dict[str, Any]) -> None:
        """Carry out one command. Those about a run that has ended meanwhile come too late and are ignored."""
        do, run = command["do"], command["run"]
        least = min((job.spent for job in self.running), default=0.0)
        if do == "start":
            try:
                config = TrainConfig.from_dict(command["config"])
                self.jobs[run] = Job(run, config, command["until"], command["measured"], least)
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
            job.spent = max(job.spent, least)  # having waited gives no right to the processor now
            job.state, job.until = "running", job.training.step + 1 if do == "step" else None
            self._tell(job, [], weights=False)
        elif do == "weights":
            self._tell(job, [], weights=True)

    def turn(self) -> None:
        """A slice of time for the run that has had the least."""
        job = min(self.running, key=lambda job: job.spent)
        reports = job.work(SLICE)
        small = job.training.config.parameters <= SMALL_MODEL
        due = small and time.perf_counter() - job.weights_sent >= WEIGHTS_EVERY
        self._tell(job, reports, weights=due or job.state in ("paused", "done"))
        if job.state in ("done", "failed"):
            del self.jobs[job.id]

    def _tell(self, job: Job, reports: list[Report], *, weights: bool) -> None:
        arrays = History.of(reports)._asdict() if reports else {}
        if weights:
            arrays["weights"] = job.weights()
            job.weights_sent = time.perf_counter()
        header = {"run": job.id, "state": job.state, "step": job.training.step, "reason": job.reason}
        self._send(header, arrays)


def main() -> None:
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
