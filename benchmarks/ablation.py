"""How long it takes to switch off every head in turn, in one thread, beside decoding each time.

python -m benchmarks.ablation [--json]
"""

from functools import partial

import torch

from benchmarks.table import Row, report
from benchmarks.turns import seconds
from transformer_core import START, Batch, EncoderDecoder, greedy_decode
from transformer_core.experiments.ablation import ablations, every_head
from transformer_core.experiments.interventions import head_off
from transformer_core.tasks import Copy
from transformer_core.tasks.batch import Pairs
from transformer_core.trace import intervene
from ui.model.shipped import FILES, shipped

SENTENCES, ROUNDS = 200, 3


def decoded(model: EncoderDecoder, pairs: Pairs, end: int | None) -> None:
    """The same exact match the long way: every output written token by token."""
    batch = Batch(*pairs)
    for head in every_head(model):
        with intervene(model, head_off(*head)):
            greedy_decode(model, batch.src, batch.src_mask, pairs.tgt.size(1), START, end)


def switched_off(model: EncoderDecoder, pairs: Pairs) -> None:
    for _ in ablations(model, pairs):
        pass


def measure() -> list[Row]:
    torch.set_num_threads(1)
    rows = []
    for kind in FILES:
        model, config, *_ = shipped(kind)
        task = config.words or Copy(config.vocab, config.length, config.min_length)
        pairs = task.held_out(SENTENCES)
        ours, plain = seconds(
            ROUNDS, partial(switched_off, model, pairs), partial(decoded, model, pairs, task.target.end)
        )
        name = f"{kind}: {len(every_head(model))} heads off in turn, {SENTENCES} sentences"
        rows.append(Row(name, ours, "s", "decoding each time", ours / plain, "< 5 s"))
    return rows


if __name__ == "__main__":
    report(__doc__, measure)
