"""Where cross-attention looks, as lines between the two sentences."""

from functools import partial

import numpy as np
import streamlit as st

from transformer_core import SoftmaxSteps, attention_steps, softmax_steps
from transformer_core.experiments.alignment import looks_at_reference
from ui.chapters.heads.alignment.reference import reference_of, row_in_words, unknown
from ui.chapters.shared.attention_programs import attention_snippet
from ui.chapters.shared.attention_values import head_of, path, weights_board
from ui.chapters.shared.look_lines import look_lines, row_chosen
from ui.components.drawings import Token
from ui.figures import Figure
from ui.model import recorded
from ui.sections import Chapter, Section, controls, show
from ui.settings.fields import Settings, by_click, whole

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
