"""How fast a model learns to copy, in one thread, beside `torch.nn.Transformer` of the same size in the same loop.

And how long the other tasks take with their recipes, beside copying.

python -m benchmarks.training [--json]
"""

import math
import statistics
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any, cast

import torch
from torch import Tensor, nn

from benchmarks.notes_model import as_in_the_notes
from benchmarks.table import Row, report
from transformer_core import Batch, greedy_decode
from transformer_core.model import EncoderDecoder
from transformer_core.schedule import learning_rate
from transformer_core.tasks.batch import Pairs
from transformer_core.training.config import TrainConfig
from transformer_core.training.evaluation import (
    FINAL_SEQUENCES,
    QUICK_SEQUENCES,
    answered,
    log_probs_of,
    mean_loss,
)
from transformer_core.training.models import fresh_model
from transformer_core.training.report import Report
from transformer_core.training.run import TrainingRun

SEEDS = range(100, 120)  # no seed that the default settings were chosen with
BASELINE_SEEDS = range(100, 105)
CHECKED_EVERY = 5  # steps
OTHERS = {"translate": "ratio < 5", "reverse": "", "sort": ""}  # tasks beside copying
ROUNDS, UPDATE_ROUNDS, STEPS = 7, 9, 20  # speeds: medians of so many rounds, in which the two sides take turns
TORCH = "torch.nn.Transformer"


class TorchEncoder(nn.Module):
    """The encoder of `torch.nn.Transformer`, called as ours is, with what its layers want to know of the padding."""

    def __init__(self, stack: nn.TransformerEncoder) -> None:
        super().__init__()
        self.stack = stack

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        return self.stack(x, src_key_padding_mask=padding(mask))


class TorchDecoder(nn.Module):
    def __init__(self, stack: nn.TransformerDecoder) -> None:
        super().__init__()
        self.stack = stack

    def forward(self, x: Tensor, memory: Tensor, src_mask: Tensor, tgt_mask: Tensor) -> Tensor:
        causal = nn.Transformer.generate_square_subsequent_mask(tgt_mask.size(-1))
        of_target = padding(tgt_mask[:, -1:])  # the last row looks at all that is no padding
        return self.stack(
            x, memory, tgt_mask=causal, tgt_is_causal=True, tgt_key_padding_mask=of_target,
            memory_key_padding_mask=padding(src_mask),
        )  # fmt: skip


def padding(mask: Tensor) -> Tensor | None:
    """Of keys, (batch, 1, length) True = may attend, as PyTorch's layers take it; None where there is none."""
    return None if mask.all() else torch.zeros(mask.squeeze(1).shape).masked_fill(~mask.squeeze(1), -math.inf)


class PlainRun(TrainingRun):
    """Our batches, loss and schedule around another model, in the loop that one writes with PyTorch."""

    def __init__(self, config: TrainConfig, model: EncoderDecoder) -> None:
        super().__init__(config)
        self.model = model
        self.plain = torch.optim.AdamW(model.parameters(), betas=(0.9, 0.98), eps=1e-9, weight_decay=0.0, fused=True)

    def update(self) -> Report:
        batch = Batch(*self.task.pairs(self.config.batch, self._batches))
        loss = mean_loss(log_probs_of(self.model, batch), batch, self._criterion)
        self.plain.zero_grad()
        loss.backward()
        norm = nn.utils.get_total_norm([one.grad for one in self.model.parameters() if one.grad is not None])
        self.step += 1
        rate = self.plain.param_groups[0]["lr"] = learning_rate(self.config, self.step)
        self.plain.step()
        return Report(self.step, loss.item(), rate, gradient_norm=float(norm))


def torch_run(config: TrainConfig) -> PlainRun:
    """`torch.nn.Transformer` between our embeddings and our generator, pre-norm and without dropout, as the default."""
    torch.manual_seed(config.seed)
    ours = fresh_model(config)
    theirs = nn.Transformer(
        config.d_model, config.h, config.N, config.N, config.d_ff, 0.0, batch_first=True, norm_first=True
    )
    encoder, decoder = TorchEncoder(theirs.encoder), TorchDecoder(theirs.decoder)
    model = EncoderDecoder(cast(Any, encoder), cast(Any, decoder), ours.src_embed, ours.tgt_embed, ours.generator)
    return PlainRun(config, model)


def notes_run(config: TrainConfig) -> PlainRun:
    """The classes of the lecture notes, with the weights of our model before its first update."""
    return PlainRun(config, as_in_the_notes(fresh_model(config)))


def seconds_to_learn(run: TrainingRun) -> float:
    """Processor time of the updates alone until 1000 targets are given without a mistake; inf if never.

    The sources are fresh ones to copy, or those that are held out.
    """
    config, run.examination.fresh = run.config, torch.Generator().manual_seed(10**6 + run.config.seed)
    spent = 0.0
    while run.step < config.steps:
        started = time.process_time()
        for _ in range(CHECKED_EVERY):
            run.update()
        spent += time.process_time() - started
        if all(all_right(run.model, run.examination.pairs(count)) for count in (QUICK_SEQUENCES, FINAL_SEQUENCES)):
            return spent
    return float("inf")


def all_right(model: EncoderDecoder, pairs: Pairs) -> bool:
    return all(answered(model, Pairs(*part)).all() for part in zip(*(side.split(250) for side in pairs)))


def rates(*works: Callable[[], int]) -> list[float]:
    """Units per second of each work, the median of rounds in which they take turns."""
    for work in works:
        work()
    samples: list[list[float]] = [[] for _ in works]
    for _ in range(ROUNDS):
        for work, own in zip(works, samples):
            started = time.perf_counter()
            units = work()
            own.append(units / (time.perf_counter() - started))
    return [statistics.median(own) for own in samples]


def updates(run: TrainingRun) -> Callable[[], int]:
    """Work: training without any measurement; its unit is a target token."""

    def work() -> int:
        for _ in range(STEPS):
            run.update()
        return STEPS * run.config.batch * (run.config.length - 1)

    return work


def recorded(run: TrainingRun) -> Callable[[], int]:
    """The same with all that a page shows: probe, norms and exact match on the way."""
    reports = run.work()

    def work() -> int:
        last = run.step + STEPS
        while run.step < last:
            next(reports)
        return STEPS * run.config.batch * (run.config.length - 1)

    return work


def decoded(model: EncoderDecoder) -> Callable[[], int]:
    """Work: decode the sequence of the notes; its unit is a sequence."""
    batch = Batch(torch.tensor([[1, 3, 2, 5, 4, 6, 7, 8, 9, 10]]))

    def work() -> int:
        for _ in range(STEPS):
            greedy_decode(model, batch.src, batch.src_mask, 10)
        return STEPS

    return work


def learning() -> list[Row]:
    ours = [seconds_to_learn(TrainingRun(TrainConfig(seed=seed))) for seed in SEEDS]
    theirs = [seconds_to_learn(torch_run(TrainConfig(seed=seed))) for seed in BASELINE_SEEDS]
    name = f"time to 100 % of {FINAL_SEQUENCES:,}"
    rows = [
        Row(f"{name}, median of {len(ours)} seeds", statistics.median(ours), "s", TORCH,
            statistics.median(ours) / statistics.median(theirs), "< 1.5 s"),
        Row(f"{name}, worst", max(ours), "s", f"{TORCH}, worst of {len(theirs)}", max(ours) / max(theirs), "< 2 s"),
    ]  # fmt: skip
    for task, goal in OTHERS.items():
        spent = [seconds_to_learn(TrainingRun(TrainConfig.of_task(task, seed=seed))) for seed in SEEDS]
        for which, of in (("median", statistics.median), ("worst", max)):
            rows.append(Row(f"{task}: {name}, {which}", of(spent), "s", f"copy, {which}", of(spent) / of(ours), goal))
    return rows


def update_rows(task: str) -> list[Row]:
    """Processor time of an update, so that it counts for little what else the machine has to do."""
    config = TrainConfig.of_task(task, steps=5000)
    runs = [make(config) for make in (TrainingRun, torch_run, notes_run)]
    samples: list[list[float]] = [[] for _ in runs]
    for _ in range(1 + UPDATE_ROUNDS):
        for run, own in zip(runs, samples):
            started = time.process_time()
            for _ in range(STEPS):
                run.update()
            own.append(1000 * (time.process_time() - started) / STEPS)
    ours, *others = (statistics.median(own[1:]) for own in samples)
    return [
        Row(f"{task}: an update, {theirs:.2f} ms", ours, "ms", name, theirs / ours, target)
        for theirs, name, target in zip(others, (TORCH, "the notes' classes"), ("ratio > 1.3", "ratio > 1.5"))
    ]


def speeds() -> list[Row]:
    long = TrainConfig(steps=5000)
    shown, plain = rates(recorded(TrainingRun(TrainConfig(steps=1000))), updates(TrainingRun(long)))
    greedy, greedy_theirs = rates(decoded(fresh_model(long).eval()), decoded(torch_run(long).model.eval()))
    return [
        *(row for task in ("copy", "translate") for row in update_rows(task)),
        Row("the same, recorded and checked", shown, "tokens/s", "not recorded", shown / plain, "ratio > 0.85"),
        Row("greedy decoding, 10 tokens", 1000 / greedy, "ms", TORCH, greedy_theirs / greedy),
    ]


def beside_a_busy_process() -> list[Row]:
    work = updates(TrainingRun(TrainConfig(steps=5000)))
    (alone,) = rates(work)
    with subprocess.Popen([sys.executable, "-c", "while True: pass"]) as busy:
        (beside,) = rates(work)
        busy.kill()
    return [Row("training beside a busy process", beside, "tokens/s", "alone", beside / alone, "ratio > 0.85")]


def measure() -> list[Row]:
    torch.set_num_threads(1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch.nn.Transformer remarks that its fast path does not take pre-norm
        return [*learning(), *speeds(), *beside_a_busy_process()]


if __name__ == "__main__":
    report(__doc__, measure)
