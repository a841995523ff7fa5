"""Train a model, on the copy task or another, from Python or from the shell.

>>> for report in train(TrainConfig(seed=7)):
...     print(report.step, report.loss)

    python -m transformer_core.train --seed 7 --out model.safetensors
    python -m transformer_core.train --task translate
"""

import sys
from collections.abc import Iterator
from types import ModuleType

from transformer_core import shell
from transformer_core.model import EncoderDecoder
from transformer_core.training.command import main
from transformer_core.training.config import TrainConfig
from transformer_core.training.report import Report
from transformer_core.training.run import TrainingRun


def train(config: TrainConfig, probe: tuple[int, ...] | None = None, device: str = "cpu") -> Iterator[Report]:
    """A report of the untrained model, then one per step; the last has the exact match on 1000 pairs not trained on.

    `probe` is the source to watch. The model is trained on `device`. What is drawn for it, but for dropout, is the same
    on all devices. ArithmeticError if the loss or its gradient is no number.
    """
    return (report for report in TrainingRun(config, probe, device).work() if report is not None)


def train_to(config: TrainConfig, step: int) -> EncoderDecoder:
    """The model after `step` steps of a run, in evaluation mode. ValueError if the run has no such step."""
    if not 0 <= step <= config.steps:
        raise ValueError(f"a run of {config.steps} steps has no step {step}")
    run = TrainingRun(config)
    while run.step < step:
        run.update()
    return run.model.eval()


class _Train(ModuleType):
    """This module once it is imported: `transformer_core.train` names it and its function, so it can be called."""

    __call__ = staticmethod(train)


if __name__ == "__main__":
    shell.run(main)
sys.modules[__name__].__class__ = _Train
