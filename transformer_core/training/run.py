"""One training run, step by step (paper, section 5): what is updated, what is measured, what is kept."""

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.utils import clip_grads_with_norm_, get_total_norm

from transformer_core.attention import MultiHeadedAttention
from transformer_core.loss import LabelSmoothing
from transformer_core.model import EncoderDecoder
from transformer_core.noam import noam_rate
from transformer_core.tasks import Copy, RandomAnswers, Task
from transformer_core.tasks.batch import Batch, Pairs
from transformer_core.tasks.kinds import share_right
from transformer_core.tasks.padding import padded
from transformer_core.tasks.random_task import HELD_OUT
from transformer_core.tasks.vocabulary import PAD
from transformer_core.trace import record
from transformer_core.training.config import TrainConfig
from transformer_core.training.memory import PAIRS, evaluated_at_once
from transformer_core.training.models import BATCHES, DROPOUT, FRESH, fresh_model, stream

PROBE = (1, 3, 2, 5, 4, 6, 7, 8, 9, 10)  # the sequence that the lecture notes decode
PROBED_OF = 12  # of so many sources held out the longest are watched, in a task that has words of its own
QUICK_SEQUENCES = 64  # for the exact match on the way
FINAL_SEQUENCES = 1000  # for the exact match at the end
EPOCH, EVAL_EPOCH = 20, 5  # updates with dropout and without, where the lecture notes' eval epochs learn too
LAST_RATE = 0.02  # share of the highest rate at which the cosine ends


class Probe(NamedTuple):
    """What the model makes of a few fixed pairs, their targets shifted as in training.

    The first is the probe, of S and T + 1 tokens; the longest target has M + 1.
    """

    cross_attention: np.ndarray  # (N, h, T, S) float16: `src_attn.weights` of every decoder layer; (0, …) without any
    log_probs: np.ndarray  # (T, tgt_vocab) float32: of each next token; the argmax is the prediction
    choices: np.ndarray  # (pairs, M) int16: the likeliest next token, given the right ones before it


@dataclass(frozen=True, slots=True)
class Report:
    """A run after `step` updates."""

    step: int
    loss: float  # nats per token on this step's batch, before its update; at step 0 on fresh sequences
    rate: float
    tokens_per_second: float  # of the update alone, without measurements; 0 at step 0
    exact_match: float | None  # share of targets given to the last token, fresh or held out; None = not measured
    gradient_norm: float  # of all parameters together; 0 at step 0
    query_norm: float  # of all W_Q together
    key_norm: float  # of all W_K together
    probe: Probe | None  # None = not recorded at this step
    held_out: float | None = None  # loss on pairs without a rule, never trained on; None = not measured
    right_words: float | None = None  # shares of right words of each kind (tasks/kinds.py), in tasks with words of
    right_measures: float | None = None  # their own, measured with the exact match on QUICK_SEQUENCES held out;
    right_order: float | None = None  # None = not measured, or no such word


def learning_rate(config: TrainConfig, step: int) -> float:
    """The rate of update `step` = 1, 2, …: up in a line over `warmup` steps, then as the schedule says."""
    if config.schedule == "noam":
        return noam_rate(step, config.d_model, config.factor, max(config.warmup, 1))
    if step <= config.warmup:
        return config.rate * step / config.warmup
    if config.schedule == "constant":
        return config.rate
    done = (step - config.warmup) / (config.steps - config.warmup)
    return config.rate * (LAST_RATE + (1 - LAST_RATE) * (1 + math.cos(math.pi * done)) / 2)


def right_tokens(model: EncoderDecoder, pairs: Pairs) -> Tensor:
    """Which tokens of n targets, after the first, the model gives, those before them given: (n, T) bool.

    All positions at once. A row that is right throughout is greedy decoding's answer as well: as long as that has made
    no mistake, it has seen the same tokens.
    """
    batch = Batch(*pairs)
    with evaluating(model):
        choices = _log_probs(model, batch).argmax(-1)
    return (choices == batch.tgt_y) | (batch.tgt_y == PAD)


def answered(model: EncoderDecoder, pairs: Pairs) -> Tensor:
    """Which targets of n pairs the model gives without a mistake: (n,) bool."""
    return right_tokens(model, pairs).all(dim=1)


def watched_of(config: TrainConfig) -> list[tuple[int, ...]]:
    """The sources a run watches: in a task with words of its own the longest of a few that are held out.

    In the others PROBE alone, no longer than the run's sequences, each token within its vocabulary.
    """
    if config.words is not None:
        sources = [
            tuple(token for token in row if token != PAD) for row in config.words.held_out(PROBED_OF).src.tolist()
        ]
        return sorted(sources, key=len, reverse=True)[:PAIRS]
    return [
        tuple(token if token < config.vocab else 2 + token % (config.vocab - 2) for token in PROBE[: config.length])
    ]


def probe_of(config: TrainConfig) -> tuple[int, ...]:
    """The source whose cross-attention a run watches."""
    return watched_of(config)[0]


def recorded_every(config: TrainConfig) -> int:
    """Steps from one record of the probe to the next: 5, more in a long run, so that it keeps about 200."""
    return max(5, math.ceil(config.steps / 200))


@contextmanager
def evaluating(model: nn.Module) -> Iterator[None]:
    """Without dropout and without gradients while the block runs."""
    was_training = model.training
    model.eval()
    try:
        with torch.no_grad():
            yield
    finally:
        model.train(was_training)


class TrainingRun:
    """The model, its optimiser and its own streams of random numbers.

    Runs may take turns in one thread without disturbing each other. `probe` is the first source to watch: `probe_of`
    unless told. ValueError if the task has words of its own and does not say its target.
    """

    def __init__(self, config: TrainConfig, probe: tuple[int, ...] | None = None) -> None:
        self.config = config
        self.step = 0
        self.model = fresh_model(config)
        self._parameters = list(self.model.parameters())
        self.optimizer = torch.optim.AdamW(
            self._parameters, lr=0.0, betas=(0.9, 0.98), eps=1e-9, weight_decay=0.0, fused=True
        )
        self.probe = _probed(config, probe or probe_of(config))
        self._criterion = LabelSmoothing(config.tgt_vocab, PAD, config.smoothing)
        self._batches = stream(config.seed, BATCHES)
        self._watched = _probed(config, probe or probe_of(config), *watched_of(config)[1:])
        self._fresh = stream(config.seed, FRESH)
        self._dropout = stream(config.seed, DROPOUT).get_state()
        self.task = self._task()
        self._held_out = self.task.held_out(HELD_OUT) if config.task == "random" else None
        attentions = [module for module in self.model.modules() if isinstance(module, MultiHeadedAttention)]
        matrices = [list(module.linears.parameters()) for module in attentions]
        self._queries = [parameters[0] for parameters in matrices]  # W_Q, b_Q, W_K, b_K, …
        self._keys = [parameters[2] for parameters in matrices]

    def work(self) -> Iterator[Report | None]:
        """Train to the end: a report of the untrained model, then one per step. None = a good moment to interrupt."""
        if self.step == 0:
            yield self._untrained()
        every = recorded_every(self.config)
        while self.step < self.config.steps:
            report = self.update()
            if self.step == self.config.steps:
                parts = []
                for pairs in self._parts(self.examined(FINAL_SEQUENCES)):
                    parts.append(answered(self.model, pairs))
                    yield None
                quick = {} if self.config.words is None else self._match(self.examined(QUICK_SEQUENCES))
                report = self.looked(replace(report, **quick | {"exact_match": _share(torch.cat(parts))}))
            elif self.step % every == 0:
                measured = self.step % (2 * every) == 0 and self._held_out is None
                report = self.looked(replace(report, **self._match(self.examined(QUICK_SEQUENCES)) if measured else {}))
            yield report

    def update(self) -> Report:
        """One step: new batch, loss, gradient, AdamW. ArithmeticError if the loss or its gradient is no number."""
        started = time.perf_counter()
        batch = Batch(*self.task.pairs(self.config.batch, self._batches))
        if self.config.eval_updates:
            self.model.train(self.step % (EPOCH + EVAL_EPOCH) < EPOCH)
        with self._own_dropout():
            loss = self._loss(batch)
            loss.backward()
        value, norm = loss.item(), _gradient_norm(self._parameters)
        if not (math.isfinite(value) and norm.isfinite()):
            raise ArithmeticError(f"the loss or its gradient is no number at step {self.step + 1}; try a lower rate")
        query_norm, key_norm = _gradient_norm(self._queries), _gradient_norm(self._keys)
        if self.config.clip is not None:
            clip_grads_with_norm_(self._parameters, self.config.clip, norm)
        self.step += 1
        rate = self.optimizer.param_groups[0]["lr"] = learning_rate(self.config, self.step)
        self.optimizer.step()
        self.optimizer.zero_grad()
        speed = batch.ntokens / (time.perf_counter() - started)
        return Report(self.step, value, rate, speed, None, float(norm), float(query_norm), float(key_norm), None)

    def look(self) -> Probe:
        """The watched pairs through the model as it is now."""
        with evaluating(self.model), record(self.model) as trace:
            log_probs = _log_probs(self.model, Batch(*self._watched))
        T, S = self.probe.tgt.size(1) - 1, self.probe.src.size(1)
        maps = [weights[0, :, :T, :S] for name, weights in trace.items() if name.endswith(".src_attn.weights")]
        weights = torch.stack(maps) if maps else torch.empty(0, self.config.h, T, S)
        choices = log_probs.argmax(-1).to(torch.int16)
        return Probe(weights.half().numpy(), log_probs[0, :T].numpy(), choices.numpy())

    def _untrained(self) -> Report:
        pairs = self.examined(QUICK_SEQUENCES)
        loss = self._loss_on(pairs)
        report = Report(0, loss, 0.0, 0.0, None, 0.0, 0.0, 0.0, None)
        return self.looked(replace(report, **self._match(pairs)))

    def looked(self, report: Report) -> Report:
        """What is recorded now and then: the probe; in the random task, where it shows nothing, the loss held out."""
        if self._held_out is None:
            return replace(report, probe=self.look())
        return replace(report, held_out=self._loss_on(self._held_out))

    def _loss_on(self, pairs: Pairs) -> float:
        """Nats per token, without dropout."""
        losses, tokens = 0.0, 0
        with evaluating(self.model):
            for part in self._parts(pairs):
                batch = Batch(*part)
                losses += float(self._loss(batch)) * batch.ntokens
                tokens += batch.ntokens
        return losses / tokens

    def _match(self, pairs: Pairs) -> dict[str, Any]:
        """Fields of a report: shares of right targets and, in tasks with words of their own, of right words."""
        right = torch.cat([right_tokens(self.model, part) for part in self._parts(pairs)])
        words = {} if self.config.words is None else share_right(self.config.words, right)
        return {"exact_match": _share(right.all(dim=1)), **{f"right_{kind}": share for kind, share in words.items()}}

    def _parts(self, pairs: Pairs) -> Iterator[Pairs]:
        """As many at a time as the memory of an update holds."""
        return map(Pairs, *(side.split(evaluated_at_once(self.config)) for side in pairs))

    def _loss(self, batch: Batch) -> Tensor:
        log_probs = _log_probs(self.model, batch)  # (batch, T, vocab)
        return self._criterion(log_probs.flatten(0, 1), batch.tgt_y.flatten()) / batch.ntokens

    def examined(self, count: int) -> Pairs:
        """Pairs to be examined on: fresh ones to copy; else such as are never trained on, in the random task all."""
        if self.config.task == "copy":
            return self.task.pairs(count, self._fresh)
        return self._held_out or self.task.held_out(count)

    def _task(self) -> Task:
        sizes = self.config.vocab, self.config.length, self.config.min_length
        if self.config.task == "random":
            return RandomAnswers(*sizes, self._batches, self._fresh)
        return self.config.words or Copy(*sizes)

    @contextmanager
    def _own_dropout(self) -> Iterator[None]:
        """Dropout draws from the global stream; lend it the run's own state, and give the old one back."""
        if self.config.dropout == 0:
            yield
            return
        with torch.random.fork_rng(devices=[]):
            torch.set_rng_state(self._dropout)
            yield
            self._dropout = torch.get_rng_state()


def _probed(config: TrainConfig, *sources: tuple[int, ...]) -> Pairs:
    """Sources and their targets; in the tasks on rows of numbers the target is the source."""
    targets = []
    for source in sources:
        target = config.answer(source)
        if target is None:
            raise ValueError(f"the task {config.task} has no target for the probe {source}")
        targets.append(target)
    return Pairs(padded(sources), padded(targets))


def _log_probs(model: EncoderDecoder, batch: Batch) -> Tensor:
    return model.generator(model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask))


def _gradient_norm(parameters: list[nn.Parameter]) -> Tensor:
    return get_total_norm([parameter.grad for parameter in parameters if parameter.grad is not None])


def _share(flags: Tensor) -> float:
    return int(flags.sum()) / flags.numel()
