"""Greedy decoding with a cache beside the loop of the lecture notes, and what a recording costs. One torch thread.

python -m tests.benchmarks.decoding [--json]
"""

import statistics
import time
from collections.abc import Callable

import torch
from torch import Tensor

from tests.benchmarks.table import Row, report
from transformer_core import EncoderDecoder, cached_decode, greedy_decode, padding_mask, record, subsequent_mask
from transformer_core.training.config import TrainConfig
from transformer_core.training.models import fresh_model

SOURCE = torch.tensor([[1, 3, 2, 5, 4, 6, 7, 8, 9, 10]])  # the notes' own
ROUNDS = 400  # in which all works take turns


def notes_decode(model: EncoderDecoder, src: Tensor, src_mask: Tensor, max_len: int, start_symbol: int = 1) -> Tensor:
    """The notes' `greedy_decode`, line for line: all that is written is computed again for each token, and gradients
    are kept in mind."""
    memory = model.encode(src, src_mask)
    ys = torch.ones(1, 1).fill_(start_symbol).type_as(src.data)
    for _ in range(max_len - 1):
        out = model.decode(memory, src_mask, ys, subsequent_mask(ys.size(1)).type_as(src.data))
        prob = model.generator(out[:, -1])
        _, next_word = torch.max(prob, dim=1)
        ys = torch.cat([ys, torch.ones(1, 1).type_as(src.data).fill_(next_word.data[0])], dim=1)
    return ys


def seconds(*works: Callable[[], object]) -> list[float]:
    """Processor time of each work: the lowest quarter of the rounds, in which they take turns, one call each."""
    samples: list[list[float]] = [[] for _ in works]
    for _ in range(ROUNDS):
        for work, own in zip(works, samples):
            started = time.process_time()
            work()
            own.append(time.process_time() - started)
    return [statistics.quantiles(own, n=4)[0] for own in samples]


def decoding(model: EncoderDecoder, name: str) -> list[Row]:
    mask = padding_mask(SOURCE)
    ways = (notes_decode, greedy_decode, cached_decode)
    theirs, plain, cached = seconds(*(lambda way=way: way(model, SOURCE, mask, 10) for way in ways))
    return [
        Row(f"{name}: 10 tokens with a cache", 1e3 * cached, "ms", "the notes' loop / cache", theirs / cached,
            "ratio ≥ 3"),
        Row(f"{name}: 10 tokens without", 1e3 * plain, "ms", "without / cache", plain / cached),
    ]  # fmt: skip


def recording(model: EncoderDecoder, name: str) -> list[Row]:
    mask, ahead = padding_mask(SOURCE), subsequent_mask(10)

    def forward() -> None:
        with torch.no_grad():
            model.generator(model(SOURCE, SOURCE, mask, ahead))

    def recorded() -> None:
        with record(model):
            forward()

    plain, kept = seconds(forward, recorded)
    return [Row(f"{name}: a forward pass, all recorded", 1e3 * kept, "ms", "not recorded", kept / plain, "ratio < 1.1")]


def measure() -> list[Row]:
    torch.set_num_threads(1)
    models = {f"N = {N}": fresh_model(TrainConfig(N=N)).eval() for N in (1, 2)}
    return [row for name, model in models.items() for row in (*decoding(model, name), *recording(model, name))]


if __name__ == "__main__":
    report(__doc__, measure)
