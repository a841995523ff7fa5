"""How sure the recipes are: when a run first gives all of 1,000 right, and how many of 2,000 it gives wrong at its end.

On seeds that no recipe was chosen with. What the app says of it is `transformer_core.training.recipes.OUTCOMES`.

python -m benchmarks.recipes [--json]
"""

import math
import statistics
from dataclasses import dataclass

import torch

from benchmarks.table import Row, report
from benchmarks.training import seconds_to_learn
from transformer_core.tasks.batch import Pairs
from transformer_core.training.config import TrainConfig
from transformer_core.training.evaluation import FINAL_SEQUENCES, answered
from transformer_core.training.recipes import OUTCOMES, TRIED
from transformer_core.training.run import TrainingRun

SEEDS = range(300, 320)


@dataclass(frozen=True)
class Result:
    """One run: updates, and their processor time, until all of 1,000 were right for the first time, inf if they never
    were; and wrong ones of TRIED at its end."""

    updates: float
    seconds: float
    wrong: int


def result(config: TrainConfig) -> Result:
    run = TrainingRun(config)
    seconds = seconds_to_learn(run)
    updates = run.step if math.isfinite(seconds) else math.inf
    while run.step < config.steps:
        run.update()
    parts = zip(*(side.split(250) for side in run.examination.pairs(TRIED)))
    return Result(updates, seconds, TRIED - sum(int(answered(run.model, Pairs(*part)).sum()) for part in parts))


def rows(task: str) -> list[Row]:
    found = [result(TrainConfig.of_task(task, seed=seed)) for seed in SEEDS]
    runs, wrong, listed = len(found), [one.wrong for one in found], list[Row]()
    for unit, values in {"updates": [one.updates for one in found], "s": [one.seconds for one in found]}.items():
        middle, latest = statistics.median(values), max(filter(math.isfinite, values), default=math.inf)
        for which, value in {"fewest": min(values), "median": middle, "latest": latest}.items():
            listed.append(
                Row(f"{task}: first {FINAL_SEQUENCES:,} right, {which}", value, unit, "median", value / middle)
            )
    never = sum(math.isinf(one.updates) for one in found)
    ended = sum(count > 0 for count in wrong)
    return [
        *listed,
        Row(f"{task}: runs that never had {FINAL_SEQUENCES:,} right", never, "runs", f"{runs} runs", never / runs),
        Row(f"{task}: runs with a wrong one of {TRIED:,} at the end", ended, "runs", f"{runs} runs", ended / runs),
        Row(f"{task}: wrong at the end, most", max(wrong), "", f"{TRIED:,}", max(wrong) / TRIED),
        Row(f"{task}: wrong at the end, all runs", sum(wrong), "", f"{TRIED * runs:,}", sum(wrong) / TRIED / runs),
    ]


def measure() -> list[Row]:
    torch.set_num_threads(1)
    return [row for task in OUTCOMES for row in rows(task)]


if __name__ == "__main__":
    report(__doc__, measure)
