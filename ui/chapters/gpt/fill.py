"""The BERT fills in a covered word of the reader's sentence, from the words on both sides."""

import streamlit as st

from transformer_core.after_2017.one_stack import EncoderOnly
from transformer_core.tasks.one_row import OneRow
from transformer_core.tasks.vocabulary import END, START
from ui.chapters.gpt.reading import labels, layer_of, origin, place_board, probabilities, words_of
from ui.figures import Figure, percent
from ui.model.rows import row_kind, row_snippet, task_of
from ui.sections import Chapter, Choice, Section, controls, predict, show
from ui.settings.fields import Settings, text, whole

BOTH = Choice("both", ("left", "sides", "itself"), right="sides")


class FillSettings(Settings):
    sentence: str = text("")
    covered: int = whole(1, 0, 40)  # which of its words
    fill_layer: int = whole(1, 0, 5)


@Section("fill", settings=FillSettings, cell="fill_cell", text="text", asks=(BOTH,))
def fill(chapter: Chapter[FillSettings]) -> None:
    say, kind = chapter.say, row_kind("bert", chapter.at_hand)
    above = chapter.figure_first()
    words, task = words_of(chapter, "sentence", kind), task_of(kind)
    left, right = st.columns([3, 1])
    with left:
        covered = controls.one_of(chapter, "covered", labels(kind, words))
    with right:
        layer = layer_of(chapter, "fill_layer", kind)
    row = (START, *words[:covered], task.cover, *words[covered + 1 :], END)
    at, names = 1 + covered, labels(kind, row)
    shares = probabilities(kind, row)
    best, there = int(shares[at].argmax()), words[covered]
    figure = Figure(
        "fill",
        place_board(chapter, kind, row, at, layer, say("fill.next")),
        origin(kind, "generator.log_probs", *shares[at : at + 1].shape),
        numbers=shares[at : at + 1],
        columns=list(task.vocabulary.names),
        code=[EncoderOnly, OneRow.covered],
        program=f"{row_snippet(kind, row)}shown = trace['generator.log_probs'][:, {at}].exp()\nprint(shown.max())\n",
        alt=say("fill.alt", word=task.vocabulary.names[best], share=percent(shares[at, best])),
    )
    with above.there:
        before, after = (" ".join(part) for part in (names[1:at], names[at + 1 : -1]))
        chapter.write("row", so_far=before, word="▢", rest=after)
    show(above, figure)
    said = {"word": task.vocabulary.names[best], "share": percent(shares[at, best])}
    said |= {"there": task.vocabulary.names[there], "share_there": percent(shares[at, there])}
    chapter.write("fill.same" if best == there else "fill.other", **said)
    if predict(chapter, BOTH):
        chapter.write("fill.why")
