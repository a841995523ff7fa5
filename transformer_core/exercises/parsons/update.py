"""Steps of training as a puzzle: loss, gradient, update (paper, section 5)."""

from collections.abc import Iterable
from functools import cache, cached_property
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.utils import get_total_norm

from transformer_core.exercises.parsons.puzzle import Distractor, Finding, Function, Law, Puzzle, PuzzleLine
from transformer_core.loss import LabelSmoothing
from transformer_core.model import EncoderDecoder
from transformer_core.tasks.batch import Batch
from transformer_core.tasks.vocabulary import PAD
from transformer_core.training.evaluation import log_probs_of, loss_of, mean_loss
from transformer_core.training.run import TrainingRun
from transformer_core.training.vector import ParameterVector
from transformer_core.verify.samples import TGT_VOCAB, gap, small_batch, small_model, worst

BATCHES, RATE, SMOOTHING = 3, 0.1, 0.1


class Descent:
    """Plain gradient descent, which keeps the gradients of each of its steps."""

    def __init__(self, parameters: Iterable[nn.Parameter]) -> None:
        self.parameters = list(parameters)
        self.seen: list[list[Tensor]] = []

    def step(self) -> None:
        self.seen.append([_gradient(parameter) for parameter in self.parameters])
        with torch.no_grad():
            for parameter in self.parameters:
                if parameter.grad is not None:
                    parameter.sub_(parameter.grad, alpha=RATE)

    def zero_grad(self) -> None:
        for parameter in self.parameters:
            parameter.grad = None


def batches() -> list[Batch]:
    return [small_batch(torch.Generator().manual_seed(seed)) for seed in range(BATCHES)]


class UpdateTrial:
    """A small model, without dropout, and all batches for a function to train it on."""

    def __init__(self, function: Function) -> None:
        self.function = function

    @cached_property
    def done(self) -> "Done":
        model = small_model()
        optimizer = Descent(model.parameters())
        with torch.enable_grad():
            self.function(model, LabelSmoothing(TGT_VOCAB, PAD, SMOOTHING), optimizer, batches())
        return Done([parameter.detach() for parameter in model.parameters()], optimizer.seen)


class Done(NamedTuple):
    """What is left of a training."""

    weights: list[Tensor]
    seen: list[list[Tensor]]  # the gradients that the optimiser's steps saw, parameter by parameter


def by_the_core(model: EncoderDecoder, criterion: nn.Module, optimizer: Descent, given: list[Batch]) -> None:
    """The same with the core's own loss."""
    for batch in given:
        loss_of(model, batch, criterion).backward()
        optimizer.step()
        optimizer.zero_grad()


@cache
def expected() -> Done:
    return UpdateTrial(by_the_core).done


def steps(training: UpdateTrial) -> Finding:
    """One step of the optimiser for each batch."""
    taken = len(training.done.seen)
    return Finding(abs(taken - BATCHES), {"given": taken, "wanted": BATCHES})


def first(training: UpdateTrial) -> Finding:
    """The first step goes by the gradient of the loss per token that is no padding."""
    return _beside(training.done, 0)


def fresh(training: UpdateTrial) -> Finding:
    """Each later step goes by the gradient of its own batch."""
    return max((_beside(training.done, at) for at in range(1, BATCHES)), key=lambda found: found.error)


def parity(training: UpdateTrial) -> Finding:
    """Every weight at the end beside that of the core's own training."""
    off = worst(map(gap, training.done.weights, expected().weights))
    return Finding(off, {"by": off})


def _beside(done: Done, step: int) -> Finding:
    ours, theirs = done.seen[step], expected().seen[step]
    given, wanted = float(get_total_norm(ours)), float(get_total_norm(theirs))
    return Finding(worst(map(gap, ours, theirs)), {"step": step + 1, "given": given, "wanted": wanted})


def _gradient(parameter: nn.Parameter) -> Tensor:
    return torch.zeros_like(parameter) if parameter.grad is None else parameter.grad.clone()


UPDATE = Puzzle(
    "update",
    "def train(model, criterion, optimizer, batches):",
    (
        PuzzleLine("for", "for batch in batches:"),
        PuzzleLine("out", "out = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)", 1),
        PuzzleLine("log_probs", "log_probs = model.generator(out)", 1),
        PuzzleLine("total", "total = criterion(log_probs.flatten(0, 1), batch.tgt_y.flatten())", 1),
        PuzzleLine("loss", "loss = total / batch.ntokens", 1),
        PuzzleLine("backward", "loss.backward()", 1),
        PuzzleLine("step", "optimizer.step()", 1),
        PuzzleLine("zero_grad", "optimizer.zero_grad()", 1),
    ),
    (
        Distractor("answers", "out = model(batch.src, batch.tgt_y, batch.src_mask, batch.tgt_mask)", "out", "first"),
        Distractor("unshifted", "total = criterion(log_probs.flatten(0, 1), batch.tgt.flatten())", "total", "first"),
        Distractor("paddings", "loss = total / batch.tgt_y.numel()", "loss", "first"),
        Distractor("detached", "loss.detach().backward()", "backward", "raised"),
    ),
    (
        Law("steps", steps),
        Law("first", first),
        Law("fresh", fresh),
        Law("parity", parity),
    ),
    {},
    (TrainingRun.update, ParameterVector.backward, mean_loss, log_probs_of),
    UpdateTrial,
)
