"""A model trained on targets that are filled up to a fixed length, where what fills them counts in the loss."""

import torch
from torch import Tensor

from transformer_core import EncoderDecoder, padding_mask
from transformer_core.exercises.symptoms.small_run import SmallRun
from transformer_core.exercises.symptoms.translated import small_config
from transformer_core.tasks.batch import Batch
from transformer_core.tasks.vocabulary import PAD, START

FULL, STEPS = 512, 10  # tokens of a target, a usual length; updates


def filled(tgt: Tensor, token: int, length: int) -> Tensor:
    """With this token from the end of each target on: (batch, L) -> (batch, length)."""
    longer = torch.nn.functional.pad(tgt, (0, length - tgt.size(1)), value=PAD)
    return torch.where(longer == PAD, token, longer)


def filled_run(seed: int, token: int) -> EncoderDecoder:
    """A few updates are enough to learn what almost every answer is."""
    config = small_config(seed, batch=4, h=2, rate=5e-3, warmup=5, steps=40)
    run = SmallRun(config, ignored=START)  # which is no answer: everything counts
    assert config.words is not None
    for _ in range(STEPS):
        src, tgt = config.words.pairs(config.batch, run.batches)
        batch = Batch(src, filled(tgt, token, FULL), pad=-1)
        batch.src_mask = padding_mask(src)
        run.update(batch)
    return run.model.eval()
