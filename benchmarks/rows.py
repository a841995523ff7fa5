"""How fast a GPT of the default size learns to continue sentences, beside copying; its update beside PyTorch's layers.

python -m benchmarks.rows [--json]
"""

import statistics
import time
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn

from benchmarks.table import Row, report
from benchmarks.training import seconds_to_learn
from benchmarks.turns import seconds
from transformer_core.after_2017.continuing import cached_continued
from transformer_core.after_2017.one_stack import DecoderOnly
from transformer_core.schedule import learning_rate
from transformer_core.tasks.one_row import OneRow
from transformer_core.training.config import TrainConfig
from transformer_core.training.row_config import RowConfig
from transformer_core.training.row_run import RowLesson, RowReport, RowRun, fresh_one_stack
from transformer_core.training.run import TrainingRun

SEEDS = range(100, 121)
QUICK: dict[str, Any] = {"batch": 24, "warmup": 20, "steps": 300}  # a recipe for sentences alone, not their translation
CHECKED_EVERY = 10  # steps
PROMPTS, WORDS, ENOUGH = 200, 2, 0.95  # rows held out, their first words, and how many become sentences
ROUNDS, STEPS = 9, 10
SWITCHES: dict[str, dict[str, Any]] = {
    "GPT": {},
    "GPT with the parts of Llama": {"positions": "rotary", "norm": "rms", "feed_forward": "swiglu", "groups": 2},
    "GPT with 4 experts": {"experts": 4},
}
LAYERS = "nn.TransformerEncoderLayer"


class Plain(nn.Module):
    """PyTorch's layers between our embeddings and our generator, pre-norm, under the look-ahead mask."""

    def __init__(self, config: RowConfig) -> None:
        super().__init__()
        ours, shape = fresh_one_stack(config), config.shape
        layer = nn.TransformerEncoderLayer(shape.d_model, shape.h, shape.d_ff, 0.0, batch_first=True, norm_first=True)
        self.embed, self.generator = ours.embed, ours.generator
        self.stack = nn.TransformerEncoder(layer, shape.N, nn.LayerNorm(shape.d_model), enable_nested_tensor=False)

    def forward(self, tokens: Tensor) -> Tensor:
        """What follows a padding is not looked at: all paddings come last."""
        ahead = nn.Transformer.generate_square_subsequent_mask(tokens.size(1))
        log_probs: Tensor = self.generator(self.stack(self.embed(tokens), mask=ahead, is_causal=True))
        return log_probs


class PlainRun(RowRun):
    """Our rows and schedule around that model, in the loop that one writes with PyTorch."""

    def __init__(self, config: RowConfig) -> None:
        super().__init__(config)
        torch.manual_seed(config.seed)
        self.plain = Plain(config)
        self.adamw = torch.optim.AdamW(
            self.plain.parameters(), betas=(0.9, 0.98), eps=1e-9, weight_decay=0.0, fused=True
        )

    def update(self) -> RowReport:
        lesson: RowLesson = self.lesson()
        said = self.plain(lesson.tokens).flatten(0, 1)
        loss = nn.functional.nll_loss(said, lesson.answers.flatten(), ignore_index=0)
        self.adamw.zero_grad()
        loss.backward()
        self.step += 1
        rate = self.adamw.param_groups[0]["lr"] = learning_rate(self.config, self.step)
        self.adamw.step()
        return RowReport(self.step, loss.item(), rate, None)


def sentences(model: DecoderOnly, task: OneRow) -> float:
    """The share of PROMPTS beginnings that the model continues to a sentence of the language, up to "="."""
    words, translation = task.vocabulary, task.translation
    found = 0
    for row in cached_continued(model, task.held_out(PROMPTS)[:, : 1 + WORDS], task.longest, task.equals).tolist():
        names = words.names_of(row[1 : row.index(task.equals)] if task.equals in row else [])
        try:
            found += translation.answer(translation.source.sequence(translation.source.tokens_of(names))) is not None
        except (KeyError, ValueError):  # words of no source
            continue
    return found / PROMPTS


def seconds_to_continue(run: RowRun) -> float:
    """Processor time of the updates alone until enough beginnings become sentences; inf if never."""
    spent = 0.0
    assert isinstance(run.model, DecoderOnly)
    while run.step < run.config.steps:
        started = time.process_time()
        for _ in range(CHECKED_EVERY):
            run.update()
        spent += time.process_time() - started
        share = sentences(run.model.eval(), run.task)
        run.model.train()
        if share >= ENOUGH:
            return spent
    return float("inf")


def learning() -> list[Row]:
    """Taken in turns, seed by seed."""
    ours, copying = [], []
    for seed in SEEDS:
        ours.append(seconds_to_continue(RowRun(RowConfig(seed=seed, **QUICK))))
        copying.append(seconds_to_learn(TrainingRun(TrainConfig(seed=seed))))
    name = f"GPT: time until {ENOUGH:.0%} of {PROMPTS} beginnings become sentences, median of {len(SEEDS)} seeds"
    middle, beside = statistics.median(ours), statistics.median(copying)
    return [Row(name, middle, "s", "copy", middle / beside, "ratio < 3")]


def updates() -> list[Row]:
    """Beside PyTorch's layers, which have the parts of 2017 in every row."""
    found = []
    for name, switches in SWITCHES.items():
        runs = [kind(RowConfig(steps=5000, **switches)) for kind in (RowRun, PlainRun)]
        ours, theirs = seconds(ROUNDS, *(partial(_steps, run) for run in runs))
        target = "ratio > 1.3" if not switches else ""
        row = f"{name}: an update, {1000 * theirs / STEPS:.2f} ms"
        found.append(Row(row, 1000 * ours / STEPS, "ms", LAYERS, theirs / ours, target))
    return found


def _steps(run: RowRun) -> None:
    for _ in range(STEPS):
        run.update()


def measure() -> list[Row]:
    torch.set_num_threads(1)
    return [*learning(), *updates()]


if __name__ == "__main__":
    report(__doc__, measure)
