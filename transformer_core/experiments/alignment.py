"""What cross-attention looks at, beside the words that an output word stands for: the task's reference alignment.

Jain and Wallace 2019 ("Attention is not Explanation") warn against reading more into it: a head may look elsewhere and
the model be right all the same.
"""

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from transformer_core.model import EncoderDecoder
from transformer_core.softmax import entropy
from transformer_core.tasks import Task
from transformer_core.tasks.batch import Batch
from transformer_core.tasks.vocabulary import PAD
from transformer_core.trace import record


def reference_alignment(task: Task, source: Sequence[int], target: Sequence[int]) -> Tensor | None:
    """Which source tokens each predicted token stands for: (T, S) bool, for S source and T + 1 target tokens.

    Row t is about token t + 1, which row t of the cross-attention predicts. Words count, symbols do not: the row that
    predicts the end symbol or padding is empty, and so is that of a word without counterpart. None if the task does not
    know this pair.
    """
    places = task.alignment(source, target)
    if places is None:
        return None
    reference = torch.zeros(len(target) - 1, len(source), dtype=torch.bool)
    for row, (token, of) in enumerate(zip(target[1:], places[1:])):
        if token not in (PAD, task.target.end):
            reference[row, list(of)] = True
    return reference


def looks_at_reference(weights: Tensor, reference: Tensor) -> Tensor:
    """Whether a row's largest weight lies on a token that it is aligned with: (…, T, S), (T, S) -> (…, T) bool.

    False in a row that is aligned with nothing.
    """
    return reference.any(-1) & ((weights * reference).amax(-1) >= weights.amax(-1))


def chance(reference: Tensor, keys: int) -> Tensor:
    """How often a look at a random one of `keys` source positions, symbols included, would be right: (T, S) -> (T,)."""
    return reference.sum(-1) / keys


class WordsLookedAt(NamedTuple):
    """W words that stand for a source word, of many sentences, and what the heads of N layers do where they come."""

    right: Tensor  # (N, h, W) bool: the largest weight lies on an aligned word
    entropy: Tensor  # (N, h, W) nats, of the row's weights
    chance: Tensor  # (W,) of a random look to be right
    token: Tensor  # (W,) int64
    sentence: Tensor  # (W,) int64, its number


def words_looked_at(model: EncoderDecoder, task: Task, count: int) -> WordsLookedAt:
    """The cross-attention of `model` on the first `count` held-out pairs of `task`, each word after the right ones.

    ValueError if the task knows the alignment of none of them.
    """
    pairs = task.held_out(count)
    batch = Batch(pairs.src, pairs.tgt)
    with torch.inference_mode(), record(model) as trace:
        model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
    layers = len(model.decoder.layers)
    weights = torch.stack([trace[f"decoder.layers.{layer}.src_attn.weights"] for layer in range(layers)])
    found = []
    for at, (src, tgt) in enumerate(zip(pairs.src.tolist(), pairs.tgt.tolist())):
        source, target = ([token for token in row if token != PAD] for row in (src, tgt))
        reference = reference_alignment(task, source, target)
        if reference is not None and reference.any():
            rows = reference.any(-1).nonzero()[:, 0]
            own = weights[:, at, :, : len(reference), : len(source)]  # (N, h, T, S) without padding
            right, spread, random = looks_at_reference(own, reference), entropy(own), chance(reference, len(source))
            every = WordsLookedAt(right, spread, random, torch.tensor(target[1:]), torch.full((len(reference),), at))
            found.append(WordsLookedAt(*(part[..., rows] for part in every)))
    if not found:
        raise ValueError(f"the task {task.name} knows no alignment")
    return WordsLookedAt(*(torch.cat(parts, dim=-1) for parts in zip(*found)))
