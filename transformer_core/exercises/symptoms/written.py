"""What a model gives with the right answer before it, and what it writes alone, token by token."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import torch
from torch import Tensor

from transformer_core import EncoderDecoder, padding_mask, subsequent_mask
from transformer_core.tasks.batch import Pairs
from transformer_core.tasks.vocabulary import PAD, START

ROWS = ("given", "so_far", "alone", "choice")
Part = Callable[[Tensor], Tensor]


def shifted(tgt: Tensor) -> Tensor:
    """What stands before each answer: (batch, L) -> (batch, L - 1)."""
    return tgt[:, :-1]


def whole(tokens: Tensor) -> Tensor:
    return tokens


class ModelInUse(NamedTuple):
    """A model and how it is used: what of a target it is given `before` the answers, as in training, with `look_ahead`
    or without; and what it reads of its own output and of a source. `pad` is what it takes for padding of a target."""

    model: EncoderDecoder
    before: Part = shifted
    look_ahead: bool = True
    own: Part = whole
    source: Part = whole
    pad: int = PAD

    def mask(self, read: Tensor) -> Tensor:
        """(batch, T, T)"""
        seen = padding_mask(read, self.pad).expand(-1, read.size(1), -1)
        return seen & subsequent_mask(read.size(1)) if self.look_ahead else seen

    @torch.no_grad()
    def given(self, src: Tensor, read: Tensor) -> Tensor:
        """Log-probabilities (batch, T, vocab) of what follows each token that is read."""
        src = self.source(src)
        found: Tensor = self.model.generator(self.model(src, read, padding_mask(src), self.mask(read)))
        return found

    @torch.no_grad()
    def alone(self, src: Tensor, count: int) -> tuple[Tensor, Tensor, Tensor]:
        """So many tokens, decoded greedily (batch, count), their log-probabilities (batch, count, vocab), and what the
        decoder read at the last step."""
        src = self.source(src)
        ys, found, read = src.new_full((len(src), 1), START), [], src
        memory = self.model.encode(src, padding_mask(src))
        for _ in range(count):
            read = self.own(ys)
            decoded = self.model.decode(memory, padding_mask(src), read, subsequent_mask(read.size(1)))
            found.append(self.model.generator(decoded[:, -1]))
            ys = torch.cat([ys, found[-1].argmax(-1)[:, None]], 1)
        return ys[:, 1:], torch.stack(found, 1), read


def compared(used: ModelInUse, pairs: Pairs, length: int) -> Mapping[str, Any]:
    """Of the first pair, whose answer has `length` tokens, `shown` (rows, length): the probability of each, with the
    whole answer before the decoder, with only its part before that token, and in decoding; then that of the choice in
    decoding. `accuracy` and `alone` are the shares of right tokens of all pairs, with the answer given and without; the
    former counts all tokens that are no padding to the model."""
    src, tgt = pairs
    answers, read = tgt[:, 1:], used.before(tgt)
    counted, words = answers != used.pad, answers != PAD
    words = words[:, : int(words.sum(1).max())]
    right = used.given(src, read).argmax(-1) == answers
    written, chosen_from, last = used.alone(src, words.size(1))
    first, one = answers[0, :length, None], slice(0, 1)
    ways = (
        used.given(src[one], read[one])[0, :length],
        torch.stack([used.given(src[one], read[one, :end])[0, -1] for end in range(1, length + 1)]),
        chosen_from[0, :length],
    )
    shown = [way.gather(1, first)[:, 0] for way in ways] + [ways[-1].amax(-1)]
    return {
        "shown": torch.stack(shown).exp(),
        "accuracy": float(right[counted].float().mean()),
        "alone": float((written == answers[:, : words.size(1)])[words].float().mean()),
        "tgt": last,
    }


def probabilities(state: Mapping[str, Any]) -> Tensor:
    """(rows, tokens of the answer)"""
    found: Tensor = state["shown"]
    return found


def accuracy(state: Mapping[str, Any]) -> float:
    return float(state["accuracy"])


def right_alone(state: Mapping[str, Any]) -> float:
    return float(state["alone"])
