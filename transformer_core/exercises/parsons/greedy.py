"""Greedy decoding as a puzzle: one token at a time, each the most probable (paper, figure 1)."""

from functools import cache, cached_property
from typing import NamedTuple

import torch
from torch import Tensor

from transformer_core.decoding.greedy import greedy_decode, most_probable
from transformer_core.decoding.loop import Outputs, memory_of, next_log_probs
from transformer_core.exercises.parsons.assembly import Stopped
from transformer_core.exercises.parsons.measure import described
from transformer_core.exercises.parsons.puzzle import Distractor, Finding, Function, Law, Puzzle, PuzzleLine
from transformer_core.masks import padding_mask, subsequent_mask
from transformer_core.model import EncoderDecoder
from transformer_core.tasks.vocabulary import START
from transformer_core.verify.samples import SRC_VOCAB, S, padded, small_model

SOURCES, PADDED, LONGEST = 8, 4, 10  # a batch with up to three paddings, and how long its outputs become


class Sample(NamedTuple):
    """A small model, and sources for it."""

    model: EncoderDecoder
    src: Tensor  # (SOURCES, S)
    src_mask: Tensor


@cache
def sample() -> Sample:
    lengths = [S - at % PADDED for at in range(SOURCES)]
    src = padded(lengths, S, SRC_VOCAB, torch.Generator().manual_seed(0))
    return Sample(small_model(), src, padding_mask(src))


@cache
def expected() -> Tensor:
    """What the core writes: (SOURCES, LONGEST)."""
    return greedy_decode(*sample(), LONGEST)


class GreedyOutputs:
    """What a function makes of the sources."""

    def __init__(self, function: Function) -> None:
        self.function = function

    @cached_property
    def ys(self) -> Tensor:
        """(SOURCES, LONGEST), if it is right."""
        with torch.no_grad():
            given: Tensor = self.function(*sample(), LONGEST, START)
        if given is None:
            raise Stopped("nothing")
        return given


def length(written: GreedyOutputs) -> Finding:
    """As many tokens as were asked for, the start symbol among them."""
    given = written.ys
    tokens = given.size(1) if isinstance(given, Tensor) and given.dim() == 2 else described(given)
    return Finding(float(described(given) != str((SOURCES, LONGEST))), {"given": tokens, "wanted": LONGEST})


def start(written: GreedyOutputs) -> Finding:
    """Every output begins with the start symbol."""
    first = written.ys[:, 0]
    wrong = (first != START).nonzero()
    if not len(wrong):
        return Finding(0.0)
    output = int(wrong[0])
    return Finding(float(len(wrong)), {"output": output, "given": int(first[output]), "wanted": START})


def step(written: GreedyOutputs) -> Finding:
    """Each token is the most probable one after those before it, in one pass over the output."""
    (model, src, src_mask), ys = sample(), written.ys
    before, after = ys[:, :-1], ys[:, 1:]  # (SOURCES, LONGEST - 1)
    with torch.no_grad():
        decoded = model(src, before, src_mask, subsequent_mask(before.size(1)))
        probabilities: Tensor = model.generator(decoded).exp()
    best, tokens = probabilities.max(-1)
    wrong = (after != tokens).nonzero()
    if not len(wrong):
        return Finding(0.0)
    output, turn = wrong[0].tolist()
    given = int(after[output, turn])
    odds = {"chosen": float(probabilities[output, turn, given]), "best": float(best[output, turn])}
    told = {"output": output, "turn": turn + 1, "given": given, "wanted": int(tokens[output, turn])}
    return Finding(float(len(wrong)), told | odds)


def parity(written: GreedyOutputs) -> Finding:
    """Token by token beside the core's own decoding."""
    other = (written.ys != expected()).nonzero()
    if not len(other):
        return Finding(0.0)
    output, turn = other[0].tolist()
    return Finding(float(len(other)), {"output": output, "turn": turn})


GREEDY = Puzzle(
    "greedy",
    "def greedy_decode(model, src, src_mask, max_len, start_symbol):",
    (
        PuzzleLine("memory", "memory = model.encode(src, src_mask)"),
        PuzzleLine("ys", "ys = src.new_full((src.size(0), 1), start_symbol)"),
        PuzzleLine("while", "while ys.size(1) < max_len:"),
        PuzzleLine("mask", "tgt_mask = subsequent_mask(ys.size(1))", 1),
        PuzzleLine("decoded", "decoded = model.decode(memory, src_mask, ys, tgt_mask)", 1),
        PuzzleLine("log_probs", "log_probs = model.generator(decoded[:, -1])", 1),
        PuzzleLine("choice", "choice = log_probs.argmax(-1)", 1),
        PuzzleLine("append", "ys = torch.cat([ys, choice.unsqueeze(1)], dim=1)", 1),
        PuzzleLine("return", "return ys"),
    ),
    (
        Distractor("one_more", "while ys.size(1) <= max_len:", "while", "length"),
        Distractor("first", "log_probs = model.generator(decoded[:, 0])", "log_probs", "step"),
        Distractor("batch_axis", "choice = log_probs.argmax(0)", "choice", "raised"),
        Distractor("prepend", "ys = torch.cat([choice.unsqueeze(1), ys], dim=1)", "append", "start"),
        Distractor("only_last", "ys = choice.unsqueeze(1)", "append", "endless"),
    ),
    (
        Law("length", length),
        Law("start", start),
        Law("step", step),
        Law("parity", parity),
    ),
    {"torch": torch, "subsequent_mask": subsequent_mask},
    (greedy_decode, most_probable, Outputs, memory_of, next_log_probs),
    GreedyOutputs,
)
