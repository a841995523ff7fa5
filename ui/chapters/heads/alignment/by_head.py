"""Which heads look at a word that is aligned with the output's, word by word, beside chance."""

import streamlit as st
import torch

from transformer_core import PAD, entropy
from transformer_core.experiments.alignment import chance, looks_at_reference, reference_alignment
from ui.chapters.heads.alignment.board import AlignmentCounts, sentence_board
from ui.chapters.heads.alignment.programs import looks_snippet
from ui.chapters.heads.alignment.reference import reference_of, rows_of, summary, unknown
from ui.chapters.shared.attention_values import path
from ui.figures import Figure
from ui.model import recorded
from ui.sections import AnyChapter, Section, show


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
