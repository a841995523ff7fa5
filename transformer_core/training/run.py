"""One training run, step by step (paper, section 5): what is updated, and when it is measured and looked at."""

import math
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor
from torch.nn.utils import clip_grads_with_norm_

from transformer_core.attention import MultiHeadedAttention
from transformer_core.loss import LabelSmoothing
from transformer_core.schedule import learning_rate
from transformer_core.tasks import Copy, RandomAnswers, Task
from transformer_core.tasks.batch import Pairs
from transformer_core.tasks.random_task import HELD_OUT
from transformer_core.tasks.vocabulary import PAD
from transformer_core.training.block_gradients import BlockGradients
from transformer_core.training.config import TrainConfig
from transformer_core.training.evaluation import (
    FINAL_SEQUENCES,
    QUICK_SEQUENCES,
    Examination,
    answered,
    share,
)
from transformer_core.training.lessons import Lessons
from transformer_core.training.loss_gradient import LossGradient
from transformer_core.training.models import BATCHES, DROPOUT, FRESH, fresh_model, stream
from transformer_core.training.optimizer import VectorAdamW
from transformer_core.training.probing import Watched, followed
from transformer_core.training.recording import Recording
from transformer_core.training.report import Probe, Report
from transformer_core.training.vector import ParameterVector

LOST, PATIENCE = 3.0, 20  # times the loss of guessing evenly, ln (V − 1); updates in a row with more than that
EPOCH, EVAL_EPOCH = 20, 5  # updates with dropout and without, where the lecture notes' eval epochs learn too


class Exploded(ArithmeticError):
    """The loss is still a number, and has been far above that of guessing for PATIENCE updates in a row."""


class TrainingRun:
    """The model, its optimiser and its own streams of random numbers.

    Runs may take turns in one thread without disturbing each other. `probe` is the first source to watch: `probe_of`
    unless told. The model is trained on `device`; what it learns from is drawn on the CPU, the same for all devices.
    ValueError if the task has words of its own and does not say its target.
    """

    def __init__(
        self, config: TrainConfig, probe: tuple[int, ...] | None = None, device: torch.device | str = "cpu"
    ) -> None:
        self.config = config
        self.device = torch.device(device)
        self.step = 0
        self.model = fresh_model(config).to(self.device)
        self.model.train(config.dropout > 0)  # without dropout nothing asks which it is
        self.vector = ParameterVector(self.model)
        self.optimizer = VectorAdamW(self.vector)
        self.watched = Watched(config, probe)
        self._followed = followed(self.model)
        self._criterion = LabelSmoothing(config.tgt_vocab, PAD, config.smoothing)
        self.gradient = LossGradient(self.model, self._criterion, self.vector)
        self._batches = stream(config.seed, BATCHES)
        self.dropout = stream(config.seed, DROPOUT, self.device).get_state()
        fresh = stream(config.seed, FRESH)
        self.task = self._task(fresh)
        self._lessons = Lessons(config, self.task, self._batches)
        self.examination = Examination(config, self.task, fresh)
        attentions = [name for name, module in self.model.named_modules() if isinstance(module, MultiHeadedAttention)]
        self._queries, self._keys = ([f"{name}.linears.{n}.weight" for name in attentions] for n in (0, 1))
        self.blocks = BlockGradients(self.vector)
        self.recording = Recording(config)
        self._above = 0  # updates in a row whose loss was far above that of guessing

    def work(self) -> Iterator[Report | None]:
        """Train to the end: a report of the untrained model, then one per step. None = a good moment to interrupt.

        ArithmeticError, after its report, where it does not pay to go on: see `Exploded`, and `update`.
        """
        if self.step == 0:
            report = self._untrained()
            self.recording.due(report)
            yield report
        every, asks = 2 * self.recording.every, self.config.task != "random"
        while self.step < self.config.steps:
            if self._above == PATIENCE:
                raise Exploded(f"the loss has been above {self._lost:.2f} for {PATIENCE} steps at step {self.step}")
            report = self.update()
            self._count(report)
            if self.step == self.config.steps:
                parts = []
                for pairs in self.examination.parts(self.examination.pairs(FINAL_SEQUENCES)):
                    parts.append(answered(self.model, pairs))
                    yield None
                if self.config.words is not None:
                    report = self._matched(report, self.examination.pairs(QUICK_SEQUENCES))
                report = self.looked(replace(report, exact_match=share(torch.cat(parts))))
            else:
                if asks and self.step % every == 0:
                    report = self._matched(report, self.examination.pairs(QUICK_SEQUENCES))
                if self.recording.due(report):
                    report = self.looked(report)
            yield report

    def update(self) -> Report:
        """One step: new batch, loss, gradient, AdamW. ArithmeticError if the loss or its gradient is no number."""
        started = time.perf_counter()
        batch = self._lessons.batch(self.step).to(self.device)
        if self.config.eval_updates:
            self.model.train(self.step % (EPOCH + EVAL_EPOCH) < EPOCH)
        with self._own_dropout():
            loss = self.gradient.of(batch)
        norm = self.blocks.measure()
        if not (math.isfinite(loss) and math.isfinite(norm)):
            raise ArithmeticError(f"the loss or its gradient is no number at step {self.step + 1}; try a lower rate")
        query_norm, key_norm = self.vector.gradient_norm(self._queries), self.vector.gradient_norm(self._keys)
        if self.config.clip is not None:
            clip_grads_with_norm_([self.vector.values], self.config.clip, norm)
        self.step += 1
        rate = self.optimizer.rate = learning_rate(self.config, self.step)
        self.optimizer.step()
        self.optimizer.zero_grad()
        speed = batch.ntokens / (time.perf_counter() - started)
        return Report(
            self.step,
            loss,
            rate,
            speed,
            gradient_norm=float(norm),
            query_norm=float(query_norm),
            key_norm=float(key_norm),
            weight=self._weight(),
        )

    def go_on(self, step: int, weights: Tensor, state: Mapping[str, Tensor], told: Sequence[Report]) -> None:
        """Make of a run that has not begun the one that had come to `step`, with these weights (parameters,), as the
        vector has them, this state of the optimiser and of dropout, if it is known, and these reports."""
        self.optimizer.take(step, weights, state)
        self.dropout = state.get("dropout", self.dropout)
        for report in told:
            if report.exact_match is not None and self.config.task != "random":
                self.examination.pairs(QUICK_SEQUENCES)
            if report.step:
                self._count(report)
            self.recording.due(report)
        for before in range(step):
            self._lessons.batch(before)
        self.step = step

    def _count(self, report: Report) -> None:
        self._above = self._above + 1 if report.loss > self._lost else 0

    @property
    def _lost(self) -> float:
        return LOST * math.log(self.config.tgt_vocab - 1)

    def looked(self, report: Report) -> Report:
        """With what is recorded now and then: the probe; in the random task, where it shows nothing, the loss held
        out."""
        if self.config.task == "random":
            held_out = self.examination.loss(self.model, self.examination.pairs(HELD_OUT), self._criterion)
            return replace(report, held_out=held_out)
        return replace(report, probe=self.look())

    def rested(self, report: Report) -> Report:
        """The last report, of a run that is paused and looked at, with what is recorded now and then."""
        return report if report.probe is not None else self.looked(report)

    def look(self) -> Probe:
        """The watched pairs through the model as it is now."""
        return self.watched.through(self.model, self.blocks.norms.cpu().numpy())

    def _untrained(self) -> Report:
        pairs = self.examination.pairs(QUICK_SEQUENCES)
        loss = self.examination.loss(self.model, pairs, self._criterion)
        return self.looked(self._matched(Report(0, loss, weight=self._weight()), pairs))

    def _weight(self) -> float:
        return self._followed.detach().view(-1)[0].item()

    def _matched(self, report: Report, pairs: Pairs) -> Report:
        return replace(report, **self.examination.match(self.model, pairs))

    def _task(self, fresh: torch.Generator) -> Task:
        sizes = self.config.vocab, self.config.length, self.config.min_length
        if self.config.task == "random":
            return RandomAnswers(*sizes, self._batches, fresh)
        return self.config.words or Copy(*sizes)

    @contextmanager
    def _own_dropout(self) -> Iterator[None]:
        """Dropout draws from its device's global stream; lend it the run's own state, and give the old one back."""
        if self.config.dropout == 0:
            yield
            return
        common: Any = torch if self.device.type == "cpu" else torch.get_device_module(self.device)
        which = () if self.device.index is None else (self.device,)
        others = common.get_rng_state(*which)
        try:
            common.set_rng_state(self.dropout, *which)
            yield
            self.dropout = common.get_rng_state(*which)
        finally:
            common.set_rng_state(others, *which)
