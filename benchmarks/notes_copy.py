"""Whether the lecture notes' sequence comes back after their run: with their embeddings, and with small ones.

What the app says of it is in `transformer_core.training.notes_run`.

python -m benchmarks.notes_copy [--json]
"""

from dataclasses import replace

import torch

from benchmarks.table import Row, report
from transformer_core import PAD, START, greedy_decode, padding_mask
from transformer_core.training.config import TrainConfig
from transformer_core.training.evaluation import answered
from transformer_core.training.notes_run import ABOVE, LOSSES, PARTED, SEEDS, SEQUENCE, printed_steps
from transformer_core.training.run import TrainingRun

OTHERS = 300


def copies(config: TrainConfig) -> tuple[bool, float, list[float]]:
    """Of one run: whether it writes the notes' sequence, the share of OTHERS that it copies, and the losses of the
    lines that it prints."""
    run, printed = TrainingRun(config), printed_steps()
    reports = [run.update() for _ in range(config.steps)]
    losses = [report.loss for report in reports if report.step in printed]
    model, source = run.model.eval(), torch.tensor([SEQUENCE])
    written = greedy_decode(model, source, padding_mask(source, PAD), len(SEQUENCE), START)[0].tolist()
    right = answered(model, run.examination.pairs(OTHERS))
    return written == list(SEQUENCE), float(right.float().mean()), losses


def measure() -> list[Row]:
    torch.set_num_threads(1)
    notes, rows = TrainConfig.notes(eval_updates=True), list[Row]()
    for name, spread in {"the notes' embeddings": None, "small embeddings": TrainConfig().embedding_std}.items():
        found = [copies(replace(notes, seed=seed, embedding_std=spread)) for seed in range(SEEDS)]
        back, least = sum(same for same, *_ in found), min(share for _, share, _ in found)
        rows.append(Row(f"{name}: runs that copy the sequence", back, "runs", f"{SEEDS} runs", back / SEEDS))
        lows = [*map(min, zip(*(losses for *_, losses in found)))]
        for line, allowed in zip((PARTED, 19, 20), (LOSSES[PARTED - 1], *ABOVE["package"])):
            if spread is None:
                low = lows[line - 1]
                rows.append(Row(f"{name}: line {line}, the least loss", low, "", f"above {allowed}", low / allowed))
        rows.append(Row(f"{name}: copied of {OTHERS}, the fewest", least * OTHERS, "", f"{OTHERS}", least))
    return rows


if __name__ == "__main__":
    report(__doc__, measure)
