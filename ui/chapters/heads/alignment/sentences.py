"""Which heads look at an aligned word: in this sentence, as lines from one head, and over many sentences."""

from collections import Counter
from functools import partial

import numpy as np
import streamlit as st
import torch
from torch import Tensor

from transformer_core import PAD, EncoderDecoder, SoftmaxSteps, attention_steps, entropy, softmax_steps
from transformer_core.experiments.alignment import chance, looks_at_reference, reference_alignment, words_looked_at
from transformer_core.tasks import OwnPairs, Task
from ui.chapters.heads.alignment.board import AlignmentCounts, sentence_board, shares_board
from ui.chapters.heads.alignment.reference import (
    looks_snippet,
    many_looks_snippet,
    reference_of,
    row_in_words,
    rows_of,
    summary,
    unknown,
)
from ui.chapters.shared.attention_values import attention_snippet, head_of, path, weights_board
from ui.chapters.shared.look_lines import look_lines, row_chosen, task_of
from ui.components.drawings import Token
from ui.figures import Figure
from ui.model import ModelAtHand, measured, recorded
from ui.sections import AnyChapter, Chapter, Section, controls, show
from ui.settings.fields import Settings, by_click, whole


@Section("heads_aligned", cell="hit_cell=hits.2.4", why="why")
def heads_aligned(chapter: AnyChapter) -> None:
    say, at_hand, sequences = chapter.say, chapter.at_hand, chapter.typed
    reference = reference_of(chapter, sequences)
    if reference is None:
        unknown(chapter)
        return
    if not reference.any():
        st.info(say("alignment.no_words"))
        return
    trace = recorded(at_hand, sequences.src, sequences.given)
    weights = torch.cat([trace[f"{path('cross', layer)}.weights"][0] for layer in range(at_hand.config.N)])
    keys = sum(token != PAD for token in sequences.src)
    counted = reference.any(-1)
    right = looks_at_reference(weights, reference)
    looks = AlignmentCounts(
        right.numpy().astype(float),
        (entropy(weights) * counted).numpy(),
        right.any(0).numpy().astype(float),
        chance(reference, keys).numpy(),
        counted.numpy().astype(float),
    )
    names = sequences.answers, rows_of(chapter)
    board = sentence_board(looks, weights.numpy(), reference.numpy(), keys, *names, say)
    rows, columns = looks.rows.shape
    figure = Figure(
        "heads_aligned",
        board,
        at_hand.provenance("decoder.layers.*.src_attn.weights", rows, columns),
        code=(looks_at_reference, chance, reference_alignment),
        program=looks_snippet(at_hand, sequences),
        alt=say("alignment.heads_alt"),
    )
    show(chapter, figure)
    summary(chapter, looks, "alignment.summary")
    missed = (counted & ~right.any(0)).nonzero()[:, 0].tolist()
    key = "alignment.missed" if missed else "alignment.none_missed"
    chapter.write(key, missed=" · ".join(sequences.answers[row] for row in missed))


CROSS = "cross"


class HeadAlignmentSettings(Settings):
    align_layer: int = whole(0, 0, 5)
    align_head: int = whole(2, 0, 15)
    align_word: int = by_click(whole(4, 0, 99))  # of the output


@Section("alignment", settings=HeadAlignmentSettings, look="open", text="text")
def alignment(chapter: Chapter[HeadAlignmentSettings]) -> None:
    say, at_hand, sequences = chapter.say, chapter.at_hand, chapter.typed
    with st.container(horizontal=True):
        layer = controls.number_of(chapter, "align_layer", at_hand.config.N)
        head = controls.number_of(chapter, "align_head", at_hand.config.h)
    trace, reference = recorded(at_hand, sequences.src, sequences.given), reference_of(chapter, sequences)
    values = head_of(trace, CROSS, layer, head, sequences, at_hand.config.scale)
    weights, legend = values.weights, "" if reference is not None else "_unknown"
    query = min(chapter.settings.align_word, len(weights) - 1)
    drawing = look_lines(
        weights,
        sequences.answers,
        sequences.sources,
        sides=(say("alignment.output"), say("alignment.source")),
        query=query,
        reference=reference,
        alt=say(f"alignment.alt{legend}"),
        board=weights_board(chapter, values, CROSS),
        glosses=chapter.glosses,
    )
    figure = Figure(
        "alignment",
        drawing,
        at_hand.provenance(f"{path(CROSS, layer)}.weights", *weights.shape, head=head),
        code=(attention_steps, softmax_steps, SoftmaxSteps, looks_at_reference),
        program=attention_snippet(at_hand, sequences, CROSS, layer, head),
    )
    beside = (
        partial(row_in_words, chapter, sequences, weights, reference, query),
        partial(chapter.write, f"alignment.legend{legend}"),
    )
    show(chapter, figure, on_pick=chapter.then(partial(_pick, chapter, weights)), beside=beside)
    if reference is None:
        unknown(chapter)


def _pick(chapter: Chapter[HeadAlignmentSettings], weights: np.ndarray, token: Token) -> None:
    row = row_chosen(token, weights)
    if row is not None:
        chapter.put("align_word", row)


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
    chapter.write(
        "aligned_sentences.missed" if missed else "aligned_sentences.none_missed",
        missed=chapter.shell("comma").join(missed),
    )


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
