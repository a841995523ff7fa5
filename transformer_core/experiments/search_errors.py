"""How often greedy decoding misses an output that is likelier, and how often a beam finds one."""

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import torch

from transformer_core.decoding.beam import beam_search
from transformer_core.decoding.greedy import greedy_decode
from transformer_core.masks import padding_mask, subsequent_mask
from transformer_core.model import EncoderDecoder
from transformer_core.tasks import Translation
from transformer_core.tasks.padding import padded
from transformer_core.tasks.vocabulary import PAD

AT_ONCE = 200  # sources in one batch


class SearchErrors(NamedTuple):
    """Counts of sources."""

    searched: int
    right: int  # greedy's output is the answer
    likeliest: int  # greedy's output has more than half of the probability: no other can be likelier
    likelier: int  # of the others, those for which the beam finds a likelier one
    mended: int  # of these, those whose beam gives the answer


def search_errors(
    model: EncoderDecoder, pairs: Sequence[tuple[Sequence[int], Sequence[int]]], max_len: int, end: int, width: int = 4
) -> SearchErrors:
    """Of pairs (source, answer), with their symbols. An output that greedy decoding gives more than half of the
    probability is not searched for: all others together have less."""
    counts = [0, 0, 0, 0]
    for at in range(0, len(pairs), AT_ONCE):
        some = pairs[at : at + AT_ONCE]
        outputs, scores = _greedy(model, [source for source, _ in some], max_len, end)
        for (source, answer), output, score in zip(some, outputs, scores):
            right, likeliest = output == list(answer), score > math.log(0.5)
            found = None if likeliest else _likelier(model, source, score, max_len, end, width)
            for count, counted in enumerate((right, likeliest, found is not None, found == list(answer))):
                counts[count] += counted
    return SearchErrors(len(pairs), *counts)


def without_a_word(task: Translation, count: int) -> Iterator[tuple[list[int], list[int]]]:
    """Held-out sources that lack a word, each with the answer of the whole: the first lacks its first, the second its
    second, and so on around. Those of `count` that the grammar still knows are left out."""
    held_out = task.held_out(count)
    for number, (source, answer) in enumerate(zip(held_out.src.tolist(), held_out.tgt.tolist())):
        words = [token for token in source if token != PAD]
        del words[1 + number % (len(words) - 2)]
        if len(words) > 2 and task.answer(words) is None:
            yield words, [token for token in answer if token != PAD]


def _greedy(
    model: EncoderDecoder, sources: Sequence[Sequence[int]], max_len: int, end: int
) -> tuple[list[list[int]], list[float]]:
    """The outputs up to their end symbols, and the sums of their log-probabilities."""
    src = padded(sources)
    mask = padding_mask(src)
    ys = greedy_decode(model, src, mask, max_len, end=end)
    with torch.no_grad():
        log_probs = model.generator(model(src, ys[:, :-1], mask, subsequent_mask(ys.size(1) - 1)))
    chosen = log_probs.gather(2, ys[:, 1:, None])[..., 0]
    outputs = [row[: row.index(end) + 1] if end in row else row for row in ys.tolist()]
    return outputs, [float(row[: len(output) - 1].sum()) for row, output in zip(chosen, outputs)]


def _likelier(
    model: EncoderDecoder, source: Sequence[int], score: float, max_len: int, end: int, width: int
) -> list[int] | None:
    """The output of a beam, without length penalty, if it is likelier than one of this score by more than rounding."""
    beam = beam_search(model, torch.tensor([list(source)]), None, max_len, width, 0.0, end=end)
    best = beam.finished(0.0)[0]
    return beam.output(best) if beam.nodes[best].score > score + 1e-3 else None
