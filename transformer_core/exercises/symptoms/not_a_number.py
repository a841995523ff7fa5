"""A loss that is NaN: which value of the forward pass is the first that is no number."""

import torch
from torch import Tensor

from transformer_core import EncoderDecoder
from transformer_core.exercises.symptoms.symptom import CheckedCause, State, Symptom
from transformer_core.random_seed import Seeded

LENGTH, VOCAB = 5, 8
STAGES = ("weights", "logits", "probabilities", "loss")


def healthy(seed: int, model: EncoderDecoder) -> State:
    return _pass(seed)


def all_masked(seed: int, model: EncoderDecoder) -> State:
    """A query may see no key, and masked scores are −∞: its softmax divides 0 by 0."""
    return _pass(seed, seen=0)


def overflow(seed: int, model: EncoderDecoder) -> State:
    """exp of a large logit is infinite in float16, and the softmax written by hand divides ∞ by ∞."""
    return _pass(seed, size=40.0)


def log_of_zero(seed: int, model: EncoderDecoder) -> State:
    """The entropy of the targets, written by hand, multiplies 0 by log 0."""
    return _pass(seed, entropy=True)


def not_numbers(state: State) -> Tensor:
    """(stages, positions): 1 where a stage has a NaN at a position."""
    found = [state[stage].isnan().reshape(LENGTH, -1).any(1) for stage in STAGES]
    return torch.stack(found).float()


def lost_positions(state: State) -> float:
    """Of the loss."""
    return float(state["loss"].isnan().sum())


def _pass(seed: int, seen: int = 1, size: float = 1.0, entropy: bool = False) -> State:
    """One query after the other sees one key more, the first of them `seen`."""
    with Seeded(seed):
        scores, values, table = torch.randn(LENGTH, LENGTH), torch.randn(LENGTH, 4), torch.randn(4, VOCAB)
        labels = torch.randint(VOCAB, (LENGTH,))
    mask = torch.ones(LENGTH, LENGTH).tril(seen - 1).bool()
    weights = scores.masked_fill(~mask, float("-inf")).softmax(-1)
    mixed = weights @ values
    logits = size * (mixed / mixed.norm(dim=-1, keepdim=True)) @ (table / table.norm(dim=0))
    exponentials = logits.half().exp().float()
    probabilities = exponentials / exponentials.sum(-1, keepdim=True)
    target = torch.nn.functional.one_hot(labels, VOCAB).float()
    terms = target * (target.log() - probabilities.log()) if entropy else -target * probabilities.clamp_min(1e-9).log()
    found = {"mask": mask, "target": target, "logits": logits, "weights": weights, "probabilities": probabilities}
    return found | {"loss": terms.sum(-1), "terms": terms}


NOT_A_NUMBER = Symptom(
    "nan",
    healthy,
    (
        CheckedCause("all_masked", all_masked, "(~mask).all(-1).any()"),
        CheckedCause("overflow", overflow, "logits.half().exp().isinf().any()"),
        CheckedCause("log_of_zero", log_of_zero, "terms[probabilities > 0].isnan().any()"),
    ),
    not_numbers,
    lost_positions,
)
