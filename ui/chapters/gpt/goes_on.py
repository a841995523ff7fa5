"""The GPT goes on with the reader's words: the probabilities of each next word, and what the heads attend to."""

import streamlit as st

from transformer_core.after_2017.continuing import CachedReader, cached_continued
from transformer_core.tasks.vocabulary import END
from ui.chapters.gpt.reading import labels, layer_of, origin, place_board, probabilities, words_of
from ui.figures import Figure, percent
from ui.model.rows import continued_row, row_kind, row_snippet, task_of
from ui.model.shipped import one_stack
from ui.sections import Chapter, Choice, Section, controls, predict, show
from ui.settings.fields import Settings, text, whole

PARTIAL = Choice("partial", ("same", "sentence", "refuses"), right="sentence")


class GoesOn(Settings):
    prompt: str = text("")
    written: int = whole(1, 1, 40)  # which of the words that it writes
    layer: int = whole(1, 0, 5)


@Section("goes_on", settings=GoesOn, cell="goes_on_cell", look="lead", asks=(PARTIAL,))
def goes_on(chapter: Chapter[GoesOn]) -> None:
    say, kind = chapter.say, row_kind("gpt", chapter.at_hand)
    above = chapter.figure_first()
    left, right = st.columns([3, 1])
    with left:
        words = words_of(chapter, "prompt", kind)
    with right:
        layer = layer_of(chapter, "layer", kind)
    row, given = continued_row(kind, words), 1 + len(words)
    names = labels(kind, row)
    written = controls.slider(chapter, "written", 1, len(row) - given)
    at = given + written - 2
    shares = probabilities(kind, row)
    title = say("next", after=names[at])
    figure = Figure(
        "goes_on",
        place_board(chapter, kind, row[: at + 1], at, layer, title),
        origin(kind, "generator.log_probs", *shares[at : at + 1].shape),
        numbers=shares[at : at + 1],
        columns=list(task_of(kind).vocabulary.names),
        code=[cached_continued, CachedReader],
        program=f"{row_snippet(kind, row[: at + 1])}shown = trace['generator.log_probs'][:, -1].exp()\nprint(shown)\n",
        alt=say("goes_on.alt", word=names[at + 1], share=percent(shares[at, row[at + 1]])),
    )
    with above.there:
        so_far, rest = (" ".join(part) for part in (names[1 : at + 1], names[at + 2 :]))
        chapter.write("row", so_far=so_far, word=names[at + 1], rest=rest)
    show(above, figure)
    ended = "ended" if row[-1] == END else "full"
    chapter.write("goes_on.said", word=names[at + 1], share=percent(shares[at, row[at + 1]]), step=written)
    chapter.write(f"goes_on.{ended}", length=len(row))
    if predict(chapter, PARTIAL):
        chapter.write("goes_on.why")
    model = one_stack(kind).model
    shape, counted = model.shape, sum(p.numel() for p in model.parameters())
    chapter.write("goes_on.model", N=shape.N, h=shape.h, d_model=shape.d_model, parameters=f"{counted:,}")
