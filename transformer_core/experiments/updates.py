"""A few updates of a whole model on one word of one sentence, and what becomes of one weight in them."""

from typing import NamedTuple

import torch
from torch import Tensor

from transformer_core.adamw import adamw_steps
from transformer_core.backward import Gradients, backward
from transformer_core.masks import padding_mask, target_mask
from transformer_core.model import EncoderDecoder
from transformer_core.trace import record

RATE = 1e-3
ONLY_ONE = 2_000_000  # parameters, beyond which the means of all of them would take too much memory


class NextWord(NamedTuple):
    """What is read, what the decoder is given, and which word is to follow at one place of that."""

    src: tuple[int, ...]
    given: tuple[int, ...]
    at: int
    right: int


class Updates(NamedTuple):
    """Over n updates."""

    weight: Tensor  # (n, 8): the weight before it, its gradient, m, v, m̂, v̂, the decay and the step
    losses: Tensor  # (n + 1,): −ln p of the word before the first update, and after each


def updates(
    model: EncoderDecoder,
    word: NextWord,
    name: str,
    entry: tuple[int, ...],
    count: int,
    *,
    rate: float = RATE,
    weight_decay: float = 0.0,
) -> Updates:
    """AdamW's first updates of all weights by the gradient of −ln p; `name` and `entry` say which weight is looked at.

    The model's weights are changed. In float64 a gradient that is 0 but for rounding makes no step: AdamW divides by
    its size. ValueError if the backward pass does not know the model.
    """
    parameters = dict(model.named_parameters())
    nothing = torch.zeros(()), torch.zeros(())
    means: dict[str, tuple[Tensor, Tensor]] = {}
    rows, losses = [], []
    for t in range(1, count + 1):
        loss, found = gradients(model, word)
        losses.append(loss)
        with torch.no_grad():
            for path, weight in parameters.items():
                m, v = means.pop(path, nothing)
                steps = adamw_steps(weight, found[path], m, v, t, rate=rate, weight_decay=weight_decay)
                if path == name:
                    rows.append([float(one[entry]) for one in (weight, found[path], *steps)])
                if t < count:
                    means[path] = steps.m, steps.v
                weight.add_(steps.step)
    losses.append(gradients(model, word)[0])
    return Updates(torch.tensor(rows, dtype=torch.float64), torch.tensor(losses, dtype=torch.float64))


def gradients(model: EncoderDecoder, word: NextWord) -> tuple[float, Gradients]:
    """−ln p of the word, and its gradient by every recorded value and every parameter."""
    src, given = torch.tensor([word.src]), torch.tensor([word.given])
    masks = padding_mask(src), target_mask(given)
    with torch.no_grad(), record(model) as trace:
        log_probs = model.generator(model(src, given, *masks))
        towards = torch.zeros_like(log_probs)
        towards[0, word.at] = log_probs[0, word.at].exp()
        towards[0, word.at, word.right] -= 1
        return -float(log_probs[0, word.at, word.right]), backward(model, trace, src, given, *masks, towards)
