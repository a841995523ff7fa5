"""One pass over the data, as in the lecture notes."""

import time
from collections.abc import Callable, Iterable
from typing import NamedTuple

from transformer_core.copy_task import Batch
from transformer_core.loss import SimpleLossCompute
from transformer_core.model import EncoderDecoder


class EpochStep(NamedTuple):
    """What one batch reported."""

    step: int
    loss: float  # per token
    tokens_per_second: float


def run_epoch(
    data_iter: Iterable[Batch],
    model: EncoderDecoder,
    loss_compute: SimpleLossCompute,
    report: Callable[[EpochStep], None] | None = None,
) -> float:
    """Run every batch through model and loss; the mean loss per token. ValueError without a token to predict."""
    total_loss, total_tokens = 0.0, 0
    for step, batch in enumerate(data_iter, start=1):
        started = time.perf_counter()
        out = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
        loss = loss_compute(out, batch.tgt_y, batch.ntokens)
        total_loss += loss
        total_tokens += batch.ntokens
        if report is not None:
            seconds = time.perf_counter() - started
            report(EpochStep(step, loss / batch.ntokens, batch.ntokens / seconds))
    if not total_tokens:
        raise ValueError("there was no batch to learn from or to judge by")
    return total_loss / total_tokens
