"""What the command that trains prints: a line or an object for each report, progress on a terminal, and a summary."""

import json
import time
from collections.abc import Iterator
from dataclasses import fields, replace
from typing import Any

from transformer_core import shell
from transformer_core.decoding.greedy import greedy_decode
from transformer_core.masks import padding_mask
from transformer_core.tasks import OwnPairs
from transformer_core.training.config import TrainConfig
from transformer_core.training.evaluation import evaluating
from transformer_core.training.history import History
from transformer_core.training.report import Report
from transformer_core.training.run import TrainingRun

EXAMPLES = 3  # rows of letters or sentences whose answers are printed


class RunReporter:
    """Of one run. `quiet`, it prints the summary alone."""

    def __init__(self, run: TrainingRun, *, as_json: bool, quiet: bool) -> None:
        self._run, self._as_json, self._quiet = run, as_json, quiet
        self._started = time.perf_counter()
        self._progress = shell.ProgressLine(run.config.steps, run.step, quiet=quiet)
        self._numbers: list[Report] = []
        self._last: Report | None = None
        self.unread = False  # nobody reads what is printed any more

    def work(self) -> Iterator[None]:
        """Train to the end, and tell of it; None where the run can be stopped."""
        try:
            for report in self._run.work():
                if report is not None:
                    self._last = report
                    self._numbers.append(replace(report, probe=None))
                    self._tell(report)
                self._progress.at(self._run.step)
                yield
        finally:
            self._progress.clear()

    @property
    def history(self) -> History:
        """The numbers of all reports so far."""
        return History.of(self._numbers)

    def _tell(self, report: Report) -> None:
        if self._quiet or not (self._as_json or report.exact_match is not None or report.held_out is not None):
            return
        self._progress.clear()
        try:
            print(json.dumps(_as_dict(report)) if self._as_json else _line(report), flush=True)
        except BrokenPipeError:
            shell.unread()
            self.unread = True

    def summary(self) -> dict[str, Any]:
        """What the run has reached."""
        run, report = self._run, self._last
        assert report is not None
        looked = {"held_out": report.held_out} if report.probe is None else {"probe": run.watched.probe.src[0].tolist()}
        return {
            "step": report.step,
            "exact_match": report.exact_match,
            "parameters": run.config.parameters,
            "seconds": round(time.perf_counter() - self._started, 2),
            **looked,
            **_predicted(report),
            "examples": _examples(run),
            "config": _named(run.config),
        }

    def tell(self, summary: dict[str, Any]) -> None:
        print(json.dumps(summary) if self._as_json else _as_text(**summary))


def _named(config: TrainConfig) -> dict[str, Any]:
    """The settings, and of the lines of a file their name alone."""
    own = {"pairs": config.words.name} if isinstance(config.words, OwnPairs) else {}
    return config.to_dict() | own


def _examples(run: TrainingRun) -> list[dict[str, str]]:
    """Sources held out, what greedy decoding makes of each, and their targets; none of rows of numbers."""
    task = run.config.words
    if task is None:
        return []
    src, tgt = task.held_out(EXAMPLES)
    with evaluating(run.model):
        given = src.to(run.device)
        output = greedy_decode(run.model, given, padding_mask(given), task.longest[1], end=task.target.end)
    rows = zip(src.tolist(), output.tolist(), tgt.tolist())
    return [
        {
            "source": task.source.text(source),
            "output": task.target.text(task.target.until_end(answer)),
            "target": task.target.text(target),
        }
        for source, answer, target in rows
    ]


def _as_text(examples: list[dict[str, str]], **summary: object) -> str:
    lines = [f"{name:14}{value}" for name, value in summary.items()]
    for example in examples:
        wrong = "" if example["output"] == example["target"] else f"   instead of {example['target']}"
        lines.append(f"{example['source']} → {example['output']}{wrong}")
    return "\n".join(lines)


def _line(report: Report) -> str:
    match = "" if report.exact_match is None else f"   exact match {report.exact_match:6.1%}"
    held_out = "" if report.held_out is None else f"   held out {report.held_out:7.4f}"
    return (
        f"step {report.step:5}   loss {report.loss:7.4f}{match}{held_out}   "
        f"rate {report.rate:.2e}   {report.tokens_per_second:8,.0f} tokens/s"
    )


def _as_dict(report: Report) -> dict[str, Any]:
    values = {field.name: getattr(report, field.name) for field in fields(report) if field.name != "probe"}
    return values | _predicted(report)


def _predicted(report: Report) -> dict[str, Any]:
    return {} if report.probe is None else {"predicted": report.probe.log_probs.argmax(-1).tolist()}
