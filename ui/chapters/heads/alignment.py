"""Where cross-attention looks, as lines between the two sentences, beside the words that each word was made of."""

import numpy as np
import streamlit as st
import torch

from transformer_core import SoftmaxSteps, Trace, attention_steps, softmax_steps
from transformer_core.experiments.alignment import looks_at_reference, reference_alignment
from ui.chapters.shared.attention_programs import attention_snippet
from ui.chapters.shared.attention_values import head_of, names_of, path
from ui.chapters.shared.gold import task_of
from ui.chapters.shared.look_lines import look_lines, row_chosen
from ui.figures import stages
from ui.figures.alignment import Labels, Looks
from ui.figures.figure import Figure
from ui.figures.number import number
from ui.frame.chapter import Chapter, draw_again
from ui.model.recorded import recorded
from ui.page import controls
from ui.reading.sequences import Sequences
from ui.showing import show
from ui.text import Words

CROSS = "cross"
TITLES = ("hits", "share", "entropy", "vacant")


def alignment(chapter: Chapter, sequences: Sequences) -> None:
    config = chapter.at_hand.config
    with st.container(horizontal=True):
        layer = controls.number_of(chapter, "align_layer", config.N)
        head = controls.number_of(chapter, "align_head", config.h)
    trace = recorded(chapter.at_hand, sequences.src, sequences.given)
    gold = gold_of(chapter, sequences)
    _lines(chapter, sequences, trace, layer, head, gold)
    if gold is None:
        unknown(chapter)


def unknown(chapter: Chapter) -> None:
    """Why nothing is known of which word stands for which."""
    if task_of(chapter.at_hand) is None:
        st.info(Words("shell", chapter.lang)("task_unknown"))
    else:
        st.info(chapter.say("alignment.unknown"))


def head_names(chapter: Chapter) -> list[str]:
    """The rows of both boards: `layer·head`, then what all of them find together, then chance."""
    config = chapter.at_hand.config
    heads = [f"{layer}·{head}" for layer in range(config.N) for head in range(config.h)]
    return [*heads, chapter.say("alignment.some"), chapter.say("alignment.chance")]


def labels(chapter: Chapter) -> Labels:
    say = chapter.say
    titles = {name: say(f"alignment.{name}") for name in TITLES}
    return Labels(head_names(chapter), titles, say("alignment.row_axis"), say("alignment.word_axis"))


def summary(chapter: Chapter, looks: Looks, key: str, **more: object) -> None:
    """The best head beside chance, in words."""
    names, shares = head_names(chapter), looks.shares
    best = int(np.argmax(shares[:-2]))
    values = {
        "best": names[best],
        "share": f"{shares[best]:.0%}",
        "some": f"{shares[-2]:.0%}",
        "chance": f"{shares[-1]:.0%}",
        "words": int(looks.words.sum()),
        "entropy": number(float(looks.entropies[best]), 3),
    }
    chapter.write(key, **(values | more))


def gold_of(chapter: Chapter, sequences: Sequences) -> torch.Tensor | None:
    """(T, S) bool; None if the task knows nothing of this pair."""
    task = task_of(chapter.at_hand)
    if task is None or not sequences.predicted:
        return None
    return reference_alignment(task, sequences.src, (*sequences.given[:1], *sequences.predicted))


def _lines(
    chapter: Chapter, sequences: Sequences, trace: Trace, layer: int, head: int, gold: torch.Tensor | None
) -> None:
    say, words, at_hand = chapter.say, Words("attention", chapter.lang), chapter.at_hand
    values = head_of(trace, CROSS, layer, head, sequences, at_hand.config.scale)
    titles = {panel: words(f"panel.{panel}") for line in stages.LINES["weights"] for panel in line}
    board = stages.board(values, names_of(words, CROSS, sequences, titles), "weights")
    figure = Figure(
        "alignment",
        board,
        say("alignment.alt_unknown" if gold is None else "alignment.alt"),
        at_hand.provenance(f"{path(CROSS, layer)}.weights", *values.weights.shape, head=head),
        code=(attention_steps, softmax_steps, SoftmaxSteps, looks_at_reference),
        program=attention_snippet(at_hand, sequences, CROSS, layer, head),
    )
    weights = values.weights
    query = min(chapter.settings.align_word, len(weights) - 1)
    left, right = st.columns([3, 2], gap="medium")
    with left:
        token = look_lines(
            chapter,
            "alignment",
            weights,
            sequences.answers,
            sequences.sources,
            sides=(say("alignment.output"), say("alignment.source")),
            query=query,
            key=int(weights[query].argmax()),
            gold=gold,
            alt=str(figure.alt),
        )
    with right:
        row_in_words(chapter, sequences, weights, gold, query)
        chapter.write("alignment.legend" if gold is not None else "alignment.legend_unknown")
    show.close(chapter, figure)
    row = row_chosen(token, weights) if token else None
    if row is not None and row != chapter.settings.align_word:
        chapter.put("align_word", row)
        draw_again()


def row_in_words(
    chapter: Chapter, sequences: Sequences, weights: np.ndarray, gold: torch.Tensor | None, query: int
) -> None:
    """An output word: where the head looks most, and what it stands for."""
    source, output, key = sequences.sources, sequences.answers[query], int(weights[query].argmax())
    chapter.write("alignment.pair", output=output, source=source[key], weight=number(float(weights[query, key]), 3))
    if gold is not None:
        aligned = [source[at] for at in gold[query].nonzero()[:, 0].tolist()]
        counts = "alignment.gold" if aligned else "alignment.gold_none"
        chapter.write(counts, output=output, aligned=", ".join(aligned))
