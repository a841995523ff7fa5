"""One run of a model of one stack: a GPT learns the next token of every place, a BERT the words that are covered."""

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from transformer_core.after_2017.backward import covers, last_block_first, reads
from transformer_core.after_2017.experts import MixtureOfExperts, load
from transformer_core.after_2017.make import build
from transformer_core.after_2017.one_stack import DecoderOnly, OneStack
from transformer_core.backward import Tape, loss_gradient
from transformer_core.copies import direct
from transformer_core.loss import LabelSmoothing
from transformer_core.schedule import learning_rate
from transformer_core.tasks.one_row import OneRow
from transformer_core.tasks.vocabulary import PAD
from transformer_core.trace import Recorded, Recorder, intervene
from transformer_core.training.evaluation import evaluating
from transformer_core.training.models import BATCHES, INITIAL, draw, stream
from transformer_core.training.optimizer import VectorAdamW
from transformer_core.training.packing import segment_mask, two_to_a_row
from transformer_core.training.row_config import AT_ONCE, RowConfig
from transformer_core.training.vector import ParameterVector

QUICK_ROWS, FINAL_ROWS = 64, 1000  # held out, that the model is examined on: on the way, and at the end
ROUTED = "router_probabilities", "gates"  # that a balance loss is of
EVERY = 50  # updates between two examinations


class RowLesson(NamedTuple):
    """What a model reads, and what it is to say at each place, PAD where nothing: both (n, length) int64."""

    tokens: Tensor
    answers: Tensor


class RowReport(NamedTuple):
    """A run after `step` updates."""

    step: int
    loss: float  # nats per token that was to be said, before the update
    rate: float
    right: float | None  # share of the rows held out without a mistake (`row_right`); None = not measured


class RowHistory(NamedTuple):
    """n reports as arrays, as `History` has those of a model of two stacks."""

    step: np.ndarray  # (n,) int32
    loss: np.ndarray  # (n,) float64, as are the next two
    rate: np.ndarray
    right: np.ndarray  # NaN where it was not measured

    @property
    def exact_match(self) -> np.ndarray:
        return self.right

    @classmethod
    def of(cls, reports: Sequence[RowReport]) -> "RowHistory":
        numbers = [np.array([getattr(report, name) for report in reports], np.float64) for name in cls._fields[1:]]
        return cls(np.array([report.step for report in reports], np.int32), *numbers)

    def then(self, later: "RowHistory") -> "RowHistory":
        """Both, one after the other. What `later` tells again is left out: a run repeated is the same run."""
        new = later.step > (self.step[-1] if len(self.step) else -1)
        return RowHistory._make(np.concatenate([a, b[new]]) for a, b in zip(self, later))

    @property
    def table(self) -> np.ndarray:
        """(n, 4) float64: a row for each report."""
        return np.stack(self, axis=1)


class LaidRows(NamedTuple):
    """A lesson with two of its rows in each row, so that few places are padding: all (⌈n/2⌉, width)."""

    found: Tensor  # which place of the lesson, counted row by row, stands where; -1 where none does
    tokens: Tensor
    answers: Tensor
    places: Tensor  # of each token in its own row
    mask: Tensor  # (⌈n/2⌉, width, width): each attends within its own row, as far as the model looks


def laid_rows(model: OneStack, lesson: RowLesson) -> LaidRows:
    """Loss and gradient are those of the lesson. A GPT's last token has no answer, and is left out."""
    real = (lesson.answers if isinstance(model, DecoderOnly) else lesson.tokens) != PAD
    found = two_to_a_row(real, real.sum(1).argsort(descending=True, stable=True))
    tokens, answers = (each.flatten()[found].masked_fill_(found < 0, PAD) for each in lesson)
    length = real.size(1)
    mask, reach = segment_mask(found // length, found // length), model.reach(found.size(1), found.device)
    return LaidRows(found, tokens, answers, found % length, mask if reach is None else mask & reach)


def fresh_one_stack(config: RowConfig) -> OneStack:
    """The model before its first update: a function of the settings alone. The global seed is left as it was."""
    with torch.random.fork_rng(devices=[]):
        model = build(config.shape)
    draw(model, config.embedding_std, config.d_model, stream(config.seed, INITIAL))
    return model


class RowRun:
    """The model, its optimiser and its own stream of random numbers. Runs may take turns in one thread."""

    def __init__(self, config: RowConfig, device: torch.device | str = "cpu") -> None:
        self.config = config
        self.device = torch.device(device)
        self.step = 0
        self.task = config.task
        self.model = fresh_one_stack(config).to(self.device)
        self.vector = ParameterVector(self.model)
        self.optimizer = VectorAdamW(self.vector)
        self.by_hand = covers(self.model)
        self._batches = stream(config.seed, BATCHES)
        self._criterion = LabelSmoothing(config.shape.vocab, PAD)
        self._recorder = Recorder(self.model, reads)
        self._direct = direct(self.model)
        parts = self.model.named_modules()
        self._routers = [path for path, part in parts if isinstance(part, MixtureOfExperts)]

    def work(self) -> Iterator[RowReport]:
        """Train to the end: a report per step, some of them with an examination, the last on FINAL_ROWS rows.

        ArithmeticError if the loss is no number.
        """
        while self.step < self.config.steps:
            report = self.update()
            if self.step == self.config.steps or self.step % EVERY == 0:
                count = FINAL_ROWS if self.step == self.config.steps else QUICK_ROWS
                right = row_right(self.model, self.task, self.task.held_out(count).to(self.device))
                report = report._replace(right=float(right.float().mean()))
            yield report

    def rested(self, report: RowReport) -> RowReport:
        """The last report, of a run that is paused: there is nothing to add."""
        return report

    def update(self) -> RowReport:
        """One step: new rows, loss, gradient, AdamW."""
        lesson = self.lesson()
        self.vector.begin()
        loss = self._by_hand(lesson) if self.by_hand else self._by_autograd(lesson)
        if not math.isfinite(loss):
            raise ArithmeticError(f"the loss is no number at step {self.step + 1}; try a lower rate")
        self.step += 1
        rate = self.optimizer.rate = learning_rate(self.config, self.step)
        self.optimizer.step()
        self.optimizer.zero_grad()
        return RowReport(self.step, loss, rate, None)

    def go_on(self, step: int, weights: Tensor, state: Mapping[str, Tensor]) -> None:
        """Make of a run that has not begun the one that had come to `step`, with these weights (parameters,), as the
        vector has them, and this state of the optimiser, if it is known."""
        self.optimizer.take(step, weights, state)
        while self.step < step:
            self.lesson()
            self.step += 1

    def lesson(self) -> RowLesson:
        rows = self.task.rows(self.config.batch, self._batches)
        if self.config.kind == "decoder":
            lesson = RowLesson(rows[:, :-1], rows[:, 1:])
        else:
            lesson = RowLesson(*self.task.covered(rows, self._batches))
        return RowLesson(*(each.to(self.device) for each in lesson))

    def _by_hand(self, lesson: RowLesson) -> float:
        """The model's own forward pass, recorded, is the tape."""
        with torch.inference_mode(), self._recorder.recording() as trace:
            laid, log_probs = self._forward(lesson)
            loss = self._loss(log_probs, laid.answers)
            assert self._criterion.true_dist is not None
            truth, count = self._criterion.true_dist.view_as(log_probs), int((laid.answers != PAD).sum())
            towards = loss_gradient(log_probs, truth, count)
            tape = Tape(trace, place=self.vector.place, enters=self._balancing(trace, laid))
            last_block_first(tape, self._direct, laid.tokens, laid.mask, towards, laid.places)
        return loss.item()

    def _by_autograd(self, lesson: RowLesson) -> float:
        """What the routers say is caught on its way: a recording has no way back."""
        caught = Recorded()
        wanted = [f"{path}.{name}" for path in self._routers for name in ROUTED]
        with intervene(self.model, {path: partial(_caught, caught, path) for path in wanted}):
            laid, log_probs = self._forward(lesson)
        loss = self._loss(log_probs, laid.answers)
        balance = [(caught[path].flatten(0, -2) * by).sum() for path, by in self._balancing(caught, laid).items()]
        self.vector.backward(sum(balance, loss))
        return loss.item()

    def _balancing(self, trace: Recorded, laid: LaidRows) -> dict[str, Tensor]:
        """The gradients of the balance losses by the routers' probabilities, (words, experts); padding does not count.

        A balance loss is linear in them, for what it multiplies them with are counts.
        """
        real = laid.found.flatten() >= 0
        entering = {}
        for path in self._routers:
            gates = trace[f"{path}.gates"].flatten(0, -2)
            towards = self.config.balance * gates.size(1) / int(real.sum()) * load(gates[real])
            entering[f"{path}.router_probabilities"] = real.to(towards).unsqueeze(1) * towards
        return entering

    def _forward(self, lesson: RowLesson) -> tuple[LaidRows, Tensor]:
        """The rows as they go through the model, two in a row, and the log-probabilities of every place."""
        model, laid = self._direct, laid_rows(self.model, lesson)
        given = model.embed(lesson.tokens).flatten(0, 1)[laid.found]
        log_probs: Tensor = model.generator(model.stack(given, laid.mask))
        return laid, log_probs

    def _loss(self, log_probs: Tensor, answers: Tensor) -> Tensor:
        total: Tensor = self._criterion(log_probs.flatten(0, 1), answers.flatten())
        return total / int((answers != PAD).sum())


def _caught(caught: Recorded, path: str, value: Tensor) -> Tensor:
    caught[path] = value
    return value


def row_right(model: OneStack, task: OneRow, rows: Tensor) -> Tensor:
    """Which of n rows a model knows, (n,) bool: a GPT all tokens after "=", a BERT each word when it alone is covered.

    All places at once, as in `evaluation.right_tokens`: a row that is right throughout is greedy decoding's too.
    """
    with evaluating(model):
        if model.shape.kind == "decoder":
            choices = [model.generator(model(each[:, :-1])).argmax(-1) for each in rows.split(AT_ONCE)]
            return ((torch.cat(choices) == rows[:, 1:]) | ~task.after_equals(rows)[:, 1:]).all(1)
        covered = task.covered_in_turn(rows)
        owner = task.words_in(rows).nonzero(as_tuple=True)[0]
        parts = zip(covered.rows.split(AT_ONCE), covered.words.split(AT_ONCE))
        wrong = [((model.generator(model(each)).argmax(-1) != words) & (words != PAD)).any(1) for each, words in parts]
        return torch.zeros(len(rows), device=rows.device).index_add_(0, owner, torch.cat(wrong).float()) == 0
