"""Greedy decoding: one token at a time, each the most probable (paper, figure 1; outputs shifted right)."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from transformer_core.masks import subsequent_mask
from transformer_core.model import EncoderDecoder
from transformer_core.tasks.vocabulary import START
from transformer_core.trace import Trace, record


class DecodingStep(NamedTuple):
    """One turn of the loop, for a batch of one or more sources."""

    ys: Tensor  # (batch, t) the decoder's input: start symbol and the tokens chosen so far
    tgt_mask: Tensor  # (1, t, t) the growing look-ahead mask
    log_probs: Tensor  # (batch, vocab) of the next token
    choice: Tensor  # (batch,) the most probable token
    trace: Trace  # every tapped value of this turn


def greedy_steps(
    model: EncoderDecoder,
    src: Tensor,
    src_mask: Tensor | None,
    max_len: int,
    start_symbol: int = START,
    end: int | None = None,
    begun: Sequence[int] = (),
) -> Iterator[DecodingStep]:
    """Encode once, then decode token by token until the output, start symbol included, has `max_len` tokens.

    With an end symbol (`Vocabulary.end`) until every output has one, if that is sooner. An output of a batch may have
    one before the others do: `Vocabulary.until_end` leaves out what follows it. The tokens `begun` are written first,
    whatever the model would choose; from there it goes on by itself.
    """
    with torch.no_grad():
        memory = model.encode(src, src_mask)
    ys = src.new_full((src.size(0), 1), start_symbol)
    while ys.size(1) < max_len and not ended(ys, end):
        tgt_mask = subsequent_mask(ys.size(1)).to(ys.device)
        with record(model) as trace:
            log_probs = next_log_probs(model, memory, src_mask, ys, tgt_mask)
        choice = log_probs.argmax(-1)
        yield DecodingStep(ys, tgt_mask, log_probs, choice, trace)
        turn = ys.size(1) - 1
        written = torch.full_like(choice, begun[turn]) if turn < len(begun) else choice
        ys = torch.cat([ys, written.unsqueeze(1)], dim=1)


def greedy_decode(
    model: EncoderDecoder,
    src: Tensor,
    src_mask: Tensor | None,
    max_len: int,
    start_symbol: int = START,
    end: int | None = None,
) -> Tensor:
    """The finished output (batch, ≤ max_len) of `greedy_steps`, start symbol first, without a recording.

    The model's mode is left alone: call eval() before.
    """
    with torch.no_grad():
        memory = model.encode(src, src_mask)
    ys = src.new_full((src.size(0), 1), start_symbol)
    while ys.size(1) < max_len and not ended(ys, end):
        tgt_mask = subsequent_mask(ys.size(1)).to(ys.device)
        choice = next_log_probs(model, memory, src_mask, ys, tgt_mask).argmax(-1)
        ys = torch.cat([ys, choice.unsqueeze(1)], dim=1)
    return ys


def ended(ys: Tensor, end: int | None) -> bool:
    """Whether every output (batch, t) has an end symbol."""
    return end is not None and bool((ys == end).any(dim=1).all())


def next_log_probs(
    model: EncoderDecoder, memory: Tensor, src_mask: Tensor | None, ys: Tensor, tgt_mask: Tensor
) -> Tensor:
    """Log-probabilities (batch, vocab) of the token that follows `ys` (batch, t), whose sources are `memory`."""
    with torch.no_grad():
        log_probs: Tensor = model.generator(model.decode(memory, src_mask, ys, tgt_mask)[:, -1])
    return log_probs
