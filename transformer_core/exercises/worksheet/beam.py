"""A beam of two by hand (paper, section 6.1): two words of a language in which each word depends on the last alone."""

import math
from collections.abc import Mapping
from functools import lru_cache
from random import Random
from typing import NamedTuple

import torch
from torch import Tensor, nn

from transformer_core.decoding.beam import Beam, beam_search, length_penalty
from transformer_core.exercises.worksheet.exercise import Blanks, ExerciseKind, row
from transformer_core.model import EncoderDecoder, Generator

WORDS = ("A", "B", "C")
BEGIN = len(WORDS)  # the row of what may come first
WIDTH, LENGTH, ALPHA = 2, 2, 1.0
RESULT = ("p", "ln p", "s")


class BeamGivens(NamedTuple):
    tenths: tuple[tuple[int, ...], ...]  # (4, 3): after A, after B, after C, at the beginning

    @property
    def table(self) -> Tensor:
        """(4, 3) float64: the probability of each word after each."""
        return torch.tensor(self.tenths, dtype=torch.float64) / 10


class Bigrams(EncoderDecoder):
    """A model whose next word depends on the last one alone: a table (words + 1, words), the start symbol last."""

    def __init__(self, table: Tensor) -> None:
        nn.Module.__init__(self)
        self.generator = Generator(*table.shape).to(table.dtype)
        self.generator.proj.weight = nn.Parameter(table.log().T.contiguous())
        nn.init.zeros_(self.generator.proj.bias)

    def encode(self, src: Tensor, src_mask: Tensor | None) -> Tensor:
        return src.unsqueeze(-1).double()

    def decode(self, memory: Tensor, src_mask: Tensor | None, tgt: Tensor, tgt_mask: Tensor | None) -> Tensor:
        return nn.functional.one_hot(tgt, self.generator.proj.in_features).to(self.generator.proj.weight)


class BeamAnswer(NamedTuple):
    kept: tuple[int, ...]  # the first words that stay, the likelier one first
    products: Tensor  # (2, 3) the probability of each of them with each second word
    words: tuple[int, ...]  # the two words of the best output
    log_prob: float
    score: float  # over the length penalty


@lru_cache(64)
def steps(givens: BeamGivens) -> BeamAnswer:
    beam = _search(givens)
    last, best = beam.turns[-1], beam.finished(ALPHA)[0]
    kept = tuple(beam.nodes[at].token for at in last.parents)
    words = tuple(beam.output(best)[1:])
    return BeamAnswer(kept, last.sums.exp(), words, beam.nodes[best].score, beam.normalised(best, ALPHA))


def draw(chance: Random) -> BeamGivens | None:
    """Where the likeliest first word does not begin the best output, and no two are as likely."""
    tenths = tuple(_parts(chance) for _ in range(BEGIN + 1))
    first, *_ = sorted(tenths[BEGIN], reverse=True)
    if len(set(tenths[BEGIN])) < len(WORDS) or first > 6:
        return None
    products = sorted((a * b, at) for at, a in enumerate(tenths[BEGIN]) for b in tenths[at])
    (second, _), (best, begun) = products[-2:]
    return None if tenths[BEGIN][begun] in (first, min(tenths[BEGIN])) or second == best else BeamGivens(tenths)


def right(givens: BeamGivens) -> Blanks:
    found = steps(givens)
    return _products(found.products, found.kept) | _result(found.log_prob, found.score)


def slips(givens: BeamGivens) -> Mapping[str, Blanks]:
    found, table = steps(givens), givens.table
    firsts, seconds = table[BEGIN, found.kept].unsqueeze(1), table[list(found.kept)]
    greedy = math.log(float(table[BEGIN].max() * table[table[BEGIN].argmax()].max()))
    penalty, ln_p = length_penalty(LENGTH, ALPHA), found.log_prob
    return {
        "sum": _products(firsts + seconds, found.kept),
        "last_alone": _products(seconds, found.kept),
        "greedy": _result(greedy, greedy / penalty),
        "log_two": row("result", RESULT[1:], [ln_p / math.log(2), ln_p / math.log(2) / penalty]),
        "log_ten": row("result", RESULT[1:], [ln_p / math.log(10), ln_p / math.log(10) / penalty]),
        "no_minus": row("result", RESULT[1:], [-ln_p, -ln_p / penalty]),
        "times": row("result", RESULT[2:], [ln_p * penalty]),
        "by_length": row("result", RESULT[2:], [ln_p / LENGTH]),
        "no_penalty": row("result", RESULT[2:], [ln_p]),
    }


def _parts(chance: Random) -> tuple[int, ...]:
    """Tenths that sum to one."""
    low, high = sorted(chance.sample(range(1, 10), 2))
    return low, high - low, 10 - high


def _search(givens: BeamGivens) -> Beam:
    nothing = torch.zeros(1, 1, dtype=torch.long)
    return beam_search(Bigrams(givens.table), nothing, None, LENGTH + 1, WIDTH, ALPHA, start_symbol=BEGIN)


def _products(products: Tensor, kept: tuple[int, ...]) -> dict[tuple[str, str], float]:
    return {
        at: value
        for name, first, one in zip(("first", "second"), kept, products)
        for at, value in row(name, [f"{WORDS[first]} {word}" for word in WORDS], one).items()
    }


def _result(log_prob: float, score: float) -> dict[tuple[str, str], float]:
    return row("result", RESULT, [math.exp(log_prob), log_prob, score])


BEAM = ExerciseKind("beam", draw, right, slips)
