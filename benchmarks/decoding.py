"""Greedy decoding with a cache beside the loop of the lecture notes, and what a recording costs. One torch thread.

The goal is what the same operations reach in one function, without modules, checks and taps: less than a third of the
notes' loop.

python -m benchmarks.decoding [--json]
"""

import torch
from torch import Tensor

from benchmarks.table import Row, report
from benchmarks.turns import seconds
from transformer_core import START, EncoderDecoder, cached_decode, greedy_decode, padding_mask, record, subsequent_mask
from transformer_core.training.config import TrainConfig
from transformer_core.training.models import fresh_model

SOURCE = torch.tensor([[1, 3, 2, 5, 4, 6, 7, 8, 9, 10]])  # the notes' own
ROUNDS = 400  # in which all works take turns


def notes_loop(model: EncoderDecoder, src: Tensor, src_mask: Tensor, max_len: int) -> Tensor:
    """What the notes' loop computes for each token: all that is written once more, with gradients kept in mind."""
    memory, ys = model.encode(src, src_mask), src.new_full((len(src), 1), START)
    for length in range(1, max_len):
        last = model.decode(memory, src_mask, ys, subsequent_mask(length))[:, -1]
        ys = torch.cat([ys, model.generator(last).argmax(-1, keepdim=True)], dim=1)
    return ys


def decoding(model: EncoderDecoder, name: str) -> list[Row]:
    mask = padding_mask(SOURCE)
    ways = (notes_loop, greedy_decode, cached_decode)
    theirs, plain, cached = seconds(ROUNDS, *(lambda way=way: way(model, SOURCE, mask, 10) for way in ways))
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

    plain, kept = seconds(ROUNDS, forward, recorded)
    return [Row(f"{name}: a forward pass, all recorded", 1e3 * kept, "ms", "not recorded", kept / plain, "ratio < 1.1")]


def measure() -> list[Row]:
    torch.set_num_threads(1)
    models = {f"N = {N}": fresh_model(TrainConfig(N=N)).eval() for N in (1, 2)}
    return [row for name, model in models.items() for row in (*decoding(model, name), *recording(model, name))]


if __name__ == "__main__":
    report(__doc__, measure)
