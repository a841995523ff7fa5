"""Sampling: the next token is drawn, from a distribution that is made sharper or flatter and cut off before."""

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from transformer_core.decoding.loop import Outputs, memory_of, next_log_probs
from transformer_core.devices import in_float64, uniform
from transformer_core.model import EncoderDecoder
from transformer_core.tasks.vocabulary import START


class SamplingSteps(NamedTuple):
    """From log-probabilities to what is drawn from. All (…, vocab), each a distribution over the tokens."""

    tempered: Tensor  # softmax(log_probs / T)
    top_k: Tensor  # the k largest of these over their sum, the others 0
    nucleus: Tensor  # of those the fewest, the largest first, whose sum reaches p, over their sum, the others 0


class SamplingTurn(NamedTuple):
    """One turn of the loop, for a single source; of vocab tokens each has a number."""

    ys: Tensor  # (1, t) the decoder's input: start symbol and the tokens so far
    log_probs: Tensor  # (vocab,) of the next token
    steps: SamplingSteps  # (vocab,) each
    number: float  # the random number, 0 ≤ u < 1
    choice: int  # the token that it draws


def sampling_steps(
    log_probs: Tensor, temperature: float = 1.0, top_k: int | None = None, top_p: float = 1.0
) -> SamplingSteps:
    """Temperature T, then top-k (Fan et al. 2018), then the nucleus of top-p (Holtzman et al. 2020).

    log_probs (…, vocab), or logits: what they differ by is the same for all tokens, and the softmax takes it away.
    T = 1 leaves the model's own distribution; T = 0 stands for the limit, the likeliest token alone, or equal shares of
    equals. No `top_k`, or one of the whole vocabulary, cuts nothing off; nor does top_p = 1. The likeliest token stays,
    however small p is. Of equals the one with the smaller id counts as the larger. ValueError for T < 0 or
    infinite, k < 1, or p outside 0…1, and for what is no number.
    """
    if not 0 <= temperature < math.inf:
        raise ValueError(f"a temperature is a number from 0 on, not {temperature:g}")
    if top_k is not None and top_k < 1:
        raise ValueError(f"top-k keeps at least 1 token, not {top_k}")
    if not 0 <= top_p <= 1:
        raise ValueError(f"top-p is a probability, not {top_p:g}")
    below = in_float64(log_probs - log_probs.amax(-1, keepdim=True))  # in which the smallest T is not 0
    warm = (below / temperature).softmax(-1) if temperature else _over_sum((below == 0).double())
    tempered = warm.to(log_probs)
    order = log_probs.argsort(dim=-1, descending=True, stable=True)
    rank = order.argsort(dim=-1)
    few = tempered if top_k is None else _over_sum(tempered * (rank < top_k))
    if top_p == 1:
        return SamplingSteps(tempered, few, few)
    sorted_ = few.gather(-1, order)
    before = sorted_.cumsum(-1) - sorted_  # the sum of all larger ones
    inside = (before < top_p) | (torch.arange(order.size(-1), device=order.device) == 0)
    return SamplingSteps(tempered, few, _over_sum(few * inside.gather(-1, rank)))


def drawn(probabilities: Tensor, number: float) -> int:
    """The token (vocab,) in whose stretch of 0…1 a number lies, when their probabilities lie end to end, largest first.

    ValueError unless 0 ≤ number < 1.
    """
    if not 0 <= number < 1:
        raise ValueError(f"what is drawn with is at least 0 and less than 1, not {number:g}")
    shares, tokens = in_float64(probabilities).sort(dim=-1, descending=True, stable=True)
    ends = shares.cumsum(-1)
    at = int((ends <= number * ends[-1]).sum())  # the sum is 1 but for rounding
    return int(tokens[min(at, int((shares > 0).sum()) - 1)])


def sampled_turns(
    model: EncoderDecoder,
    src: Tensor,
    src_mask: Tensor | None,
    max_len: int,
    generator: torch.Generator | None = None,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float = 1.0,
    start_symbol: int = START,
    end: int | None = None,
    prefix: Sequence[int] = (),
) -> Iterator[SamplingTurn]:
    """Encode a source (1, S) once, then draw token by token until the `end` symbol, or until the output, start symbol
    included, has `max_len` tokens.

    The tokens of a `prefix` are written first, whatever is drawn there. A turn takes one number of the generator, which
    may be of any device, and all are taken at the start: turn t has the same one whatever was written before it.
    ValueError for more than one source.
    """
    if src.size(0) != 1:
        raise ValueError(f"one source at a time, not {src.size(0)}")
    numbers = uniform(max_len, generator)
    memory = memory_of(model, src, src_mask)
    outputs = Outputs(src, max_len, start_symbol, end, prefix)
    for ys in outputs:
        number = numbers[outputs.turn]
        log_probs = next_log_probs(model, memory, src_mask, ys)[0]
        steps = sampling_steps(log_probs, temperature, top_k, top_p)
        choice = drawn(steps.nucleus, number)
        yield SamplingTurn(ys, log_probs, steps, number, choice)
        outputs.append(src.new_tensor([choice]))


def _over_sum(shares: Tensor) -> Tensor:
    return shares / shares.sum(-1, keepdim=True)
