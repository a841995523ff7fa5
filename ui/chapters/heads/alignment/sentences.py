"""The same over many sentences that no run was trained on: how often each head looks at an aligned word."""

from collections import Counter
from functools import partial

import numpy as np
import torch
from torch import Tensor

from transformer_core import EncoderDecoder
from transformer_core.experiments.alignment import looks_at_reference, words_looked_at
from transformer_core.tasks import OwnPairs, Task
from ui.chapters.heads.alignment.board import AlignmentCounts, shares_board
from ui.chapters.heads.alignment.programs import many_looks_snippet
from ui.chapters.heads.alignment.reference import rows_of, summary, unknown
from ui.chapters.shared.look_lines import task_of
from ui.figures import Figure
from ui.model import ModelAtHand, measured
from ui.sections import AnyChapter, Section, show

SENTENCES, FEWER = 200, 20
LARGE = 5_000_000  # parameters of a model that takes its time for each
WIDE = 50_000  # weights of all heads for one, or logits: a model that needs much memory for each
NAMED = 5  # words that are most often looked at by no head


@Section("aligned_sentences", cell="many_cell=share.2.0", text="text")
def aligned_sentences(chapter: AnyChapter) -> None:
    at_hand = chapter.at_hand
    task = task_of(at_hand)
    if task is None or isinstance(task, OwnPairs):
        unknown(chapter)
        return
    count = sentences_of(at_hand, task)
    found = measured(at_hand, ("words looked at", count), partial(_measured, task, count))
    looks = _by_sentence(found, count)
    board = shares_board(looks, rows_of(chapter), chapter.say, highest=float(np.log(task.longest[0])))
    figure = Figure(
        "aligned_sentences",
        board,
        at_hand.provenance("decoder.layers.*.src_attn.weights", len(looks.right)),
        code=(words_looked_at, looks_at_reference),
        program=many_looks_snippet(at_hand, count),
    )
    show(chapter, figure)
    summary(chapter, looks, "aligned_sentences.summary", count=count)
    missed = _missed(chapter, found)
    chapter.write("aligned_sentences.missed" if missed else "aligned_sentences.none_missed", missed="; ".join(missed))


def sentences_of(at_hand: ModelAtHand, task: Task) -> int:
    config, length = at_hand.config, max(task.longest)
    wide = max(3 * config.N * config.h * length**2, length * config.tgt_vocab)
    count = SENTENCES if config.parameters < LARGE and wide < WIDE else FEWER
    return len(task.held_out(count).src) if isinstance(task, OwnPairs) else count


def _measured(task: Task, count: int, model: EncoderDecoder) -> dict[str, Tensor]:
    return words_looked_at(model, task, count)._asdict()


def _by_sentence(found: dict[str, Tensor], count: int) -> AlignmentCounts:
    """Summed up sentence by sentence, for a word by itself is more than a formula need name."""

    def summed(of_words: Tensor) -> np.ndarray:
        parts = of_words.double().flatten(0, -2) if of_words.dim() > 1 else of_words.double()
        sums = torch.zeros(*parts.shape[:-1], count, dtype=torch.double)
        return sums.index_add(-1, found["sentence"], parts).numpy()

    right = found["right"]
    return AlignmentCounts(
        summed(right),
        summed(found["entropy"]),
        summed(right.flatten(0, 1).any(0)),
        summed(found["chance"]),
        summed(torch.ones_like(found["chance"])),
    )


def _missed(chapter: AnyChapter, found: dict[str, Tensor]) -> list[str]:
    """The words that no head looks right for most often, each with how often it is so and how often it comes."""
    nobody = ~found["right"].flatten(0, 1).any(0)
    every, missed = Counter(found["token"].tolist()), Counter(found["token"][nobody].tolist())
    names = chapter.at_hand.target.every
    return [
        chapter.say("aligned_sentences.times", word=names[token], missed=times, all=every[token])
        for token, times in missed.most_common(NAMED)
    ]
