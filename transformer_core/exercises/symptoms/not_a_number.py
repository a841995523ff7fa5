"""A loss that is NaN: which value of the forward pass is the first that is no number."""

import math

import torch
from torch import Tensor

from transformer_core import EncoderDecoder, MultiHeadedAttention, attention_steps, padding_mask, record, target_mask
from transformer_core.attention import AttentionSteps
from transformer_core.copies import twin
from transformer_core.exercises.symptoms.symptom import CheckedCause, ShippedModels, State, Symptom
from transformer_core.tasks import Copy
from transformer_core.tasks.batch import Batch
from transformer_core.tasks.vocabulary import PAD
from transformer_core.trace import tap_of

READ, PADDED = 7, 10  # tokens, and with padding
STAGES = ("encoder", "cross", "logits", "loss")
ENCODER, CROSS = "encoder.layers.0.self_attn", "decoder.layers.0.src_attn"


class MaskedByInfinity(MultiHeadedAttention):
    """What is masked has the score −∞, and not a very small one."""

    def attend(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None) -> AttentionSteps:
        return attention_steps(query, key, value, mask, self.dropout, blocked=-math.inf, keep=tap_of(self))


class SoftmaxInHalf(MultiHeadedAttention):
    """exp(x) / Σ exp(x) as it stands in a book, in float16: no largest score is subtracted before."""

    def attend(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None) -> AttentionSteps:
        steps = super().attend(query, key, value, mask)
        exponentials = steps.masked.half().exp().float()
        weights = tap_of(self)("weights", exponentials / exponentials.sum(-1, keepdim=True))
        return steps._replace(weights=weights, dropped=weights, output=weights @ value)


def healthy(seed: int, models: ShippedModels) -> State:
    return _pass(models.copy, seed)


def all_masked(seed: int, models: ShippedModels) -> State:
    """A padded query may see no key, and masked scores are −∞: its softmax divides 0 by 0."""
    return _pass(_with(models.copy, MaskedByInfinity), seed, rows=True)


def overflow(seed: int, models: ShippedModels) -> State:
    """exp of a score above 11.1 is infinite in float16, and the softmax written by hand divides ∞ by ∞."""
    return _pass(_with(models.copy, SoftmaxInHalf), seed, kind=torch.float16)


def log_of_zero(seed: int, models: ShippedModels) -> State:
    """The divergence from the targets, written by hand, multiplies 0 by log 0."""
    return _pass(models.copy, seed, divergence=True)


def not_numbers(state: State) -> Tensor:
    """(stages, positions): 1 where a stage has a NaN at a position."""
    return torch.stack([state[stage].isnan().any(-1) for stage in STAGES]).float()


def lost_positions(state: State) -> float:
    """The share of those whose loss is NaN."""
    return float(state["loss"].isnan().float().mean())


def _with(model: EncoderDecoder, kind: type[MultiHeadedAttention]) -> EncoderDecoder:
    copy = twin(model)
    for module in copy.modules():
        if isinstance(module, MultiHeadedAttention):
            module.__class__ = kind
    return copy


def _pass(
    model: EncoderDecoder,
    seed: int,
    rows: bool = False,
    kind: torch.dtype = torch.float32,
    divergence: bool = False,
) -> State:
    """One padded sequence through the model; with `rows` its mask has blank rows, those of padded queries."""
    tokens = Copy(length=READ).pairs(1, torch.Generator().manual_seed(seed)).src
    padded = torch.nn.functional.pad(tokens, (0, PADDED - READ), value=PAD)
    batch = Batch(padded[:, :-1], padded)
    mask = padding_mask(batch.src)
    if rows:
        mask = mask & (batch.src != PAD).unsqueeze(-1)
    with torch.no_grad(), record(model) as trace:
        decoded = model.decode(model.encode(batch.src, mask), batch.src_mask, batch.tgt, target_mask(batch.tgt))
        log_probs = model.generator(decoded)[0]
    target = torch.nn.functional.one_hot(batch.tgt_y[0], log_probs.size(-1)).float()
    terms = target * (target.log() - log_probs) if divergence else -target * log_probs
    scores = trace[f"{CROSS}.masked"][0]
    return {
        "mask": mask,
        "scores": scores,
        "dtype": kind,
        "log_probs": log_probs,
        "terms": terms,
        "encoder": trace[f"{ENCODER}.weights"][0].transpose(0, 1).flatten(1),
        "cross": trace[f"{CROSS}.weights"][0].transpose(0, 1).flatten(1),
        "logits": trace["generator.logits"][0],
        "loss": terms.sum(-1, keepdim=True),
    }


NOT_A_NUMBER = Symptom(
    "nan",
    healthy,
    (
        CheckedCause("all_masked", all_masked, "(~mask).all(-1).any()"),
        CheckedCause("overflow", overflow, "scores.to(dtype).exp().isinf().any()"),
        CheckedCause("log_of_zero", log_of_zero, "terms.isnan().any() and not log_probs.isnan().any()"),
    ),
    not_numbers,
    {"share": lost_positions},
)
