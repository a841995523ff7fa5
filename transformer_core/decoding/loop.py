"""The loop in which outputs grow by a token at a time, whatever chooses it (paper, figure 1: outputs shifted right)."""

from collections.abc import Callable, Iterator, Sequence

import torch
from torch import Tensor

from transformer_core.masks import subsequent_mask
from transformer_core.model import EncoderDecoder
from transformer_core.tasks.vocabulary import START

Predict = Callable[[Tensor], Tensor]  # outputs (batch, t) -> log-probabilities (batch, vocab) of their next tokens


class Outputs:
    """One output per source, from the start symbol on. Iterating gives them as they are before each turn.

    >>> outputs = Outputs(src, max_len=10, end=END)
    >>> for ys in outputs:
    ...     outputs.append(predict(ys).argmax(-1))

    It is over when they have `max_len` tokens, the start symbol included, and with an end symbol (`Vocabulary.end`)
    when each has one, if that is sooner. The tokens of a `prefix` are written first, whatever is chosen.
    """

    def __init__(
        self,
        src: Tensor,
        max_len: int,
        start_symbol: int = START,
        end: int | None = None,
        prefix: Sequence[int] = (),
    ) -> None:
        self.ys = src.new_full((src.size(0), 1), start_symbol)  # (batch, t)
        self.max_len = max_len
        self.end = end
        self.prefix = prefix

    def __iter__(self) -> Iterator[Tensor]:
        while self.ys.size(1) < self.max_len and not self._ended():
            yield self.ys

    @property
    def turn(self) -> int:
        """Tokens written so far, the start symbol not among them."""
        return self.ys.size(1) - 1

    def append(self, choice: Tensor) -> None:
        """Go on with the token chosen for each output, (batch,), or with the prefix as long as it lasts."""
        if self.turn < len(self.prefix):
            choice = torch.full_like(choice, self.prefix[self.turn])
        self.ys = torch.cat([self.ys, choice.unsqueeze(1)], dim=1)

    def _ended(self) -> bool:
        return self.end is not None and bool((self.ys == self.end).any(dim=1).all())


def next_log_probs(model: EncoderDecoder, memory: Tensor, src_mask: Tensor | None, ys: Tensor) -> Tensor:
    """Log-probabilities (batch, vocab) of the token that follows `ys` (batch, t), whose sources are `memory`."""
    with torch.no_grad():
        decoded = model.decode(memory, src_mask, ys, subsequent_mask(ys.size(1), device=ys.device))
        log_probs: Tensor = model.generator(decoded[:, -1])
    return log_probs


def memory_of(model: EncoderDecoder, src: Tensor, src_mask: Tensor | None) -> Tensor:
    """What all turns look at: (batch, S) -> (batch, S, d_model), without gradients."""
    with torch.no_grad():
        return model.encode(src, src_mask)
