"""Greedy decoding: one token at a time, each the most probable (paper, figure 1; outputs shifted right)."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from torch import Tensor

from transformer_core.decoding.loop import Outputs, Predict, memory_of, next_log_probs
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
    prefix: Sequence[int] = (),
) -> Iterator[DecodingStep]:
    """Encode src (batch, S) once, then decode token by token until the output, start symbol included, has `max_len`
    tokens.

    With an end symbol (`Vocabulary.end`) until every output has one, if that is sooner. An output of a batch may have
    one before the others do: `Vocabulary.until_end` leaves out what follows it. The tokens of a `prefix` are written
    first, whatever the model would choose; from there it goes on by itself.
    """
    memory = memory_of(model, src, src_mask)
    outputs = Outputs(src, max_len, start_symbol, end, prefix)
    for ys in outputs:
        tgt_mask = subsequent_mask(ys.size(1), device=ys.device)
        with record(model) as trace:
            log_probs = next_log_probs(model, memory, src_mask, ys)
        choice = log_probs.argmax(-1)
        yield DecodingStep(ys, tgt_mask, log_probs, choice, trace)
        outputs.append(choice)


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
    memory = memory_of(model, src, src_mask)
    outputs = Outputs(src, max_len, start_symbol, end)
    return most_probable(outputs, lambda ys: next_log_probs(model, memory, src_mask, ys))


def most_probable(outputs: Outputs, predict: Predict) -> Tensor:
    """The outputs (batch, ≤ max_len) when each turn's most probable token has been written."""
    for ys in outputs:
        outputs.append(predict(ys).argmax(-1))
    return outputs.ys
