"""The look-ahead mask, and questions: what it is for, and how many cells it leaves open."""

from functools import partial

import streamlit as st

from transformer_core import subsequent_mask
from ui.chapters.masks.scores import LOOK_AHEAD
from ui.chapters.shared.attention_values import numbered, pairs
from ui.figures import Board, Figure
from ui.model import answer
from ui.sections import Chapter, Choice, Frame, Quantity, Section, controls, kept, predict, provenance, show
from ui.sections.sequence_fields import typed
from ui.settings.fields import CellSetting, Settings, cell, formerly, whole

UNHIDDEN = Choice("unhidden", ("nothing", "copies", "order", "slow"), right="copies")
SIZE = 8  # positions of the mask that is asked about
_OPEN = int(subsequent_mask(SIZE).sum())
PAIRS = Quantity(
    "pairs", _OPEN, {"pairs.wrong.diagonal": _OPEN - SIZE, "pairs.wrong.all": SIZE**2, "pairs.wrong.half": SIZE**2 / 2}
)


class Ahead(Settings):
    size: int = whole(20, 1, 64)  # the notes' picture
    ahead_cell: CellSetting = formerly("cell", cell())


@Section("look_ahead", settings=Ahead, reads=(Frame,), look="lead", asks=(UNHIDDEN, PAIRS))
def look_ahead(chapter: Chapter[Ahead]) -> None:
    figure, words = st.columns([5, 4], gap="medium")
    with words:
        chapter.write("look_ahead.text")
        told = predict(chapter, UNHIDDEN)
        if told:
            chapter.write("look_ahead.why")
    with figure:
        above = chapter.figure_first()
        with above.there:
            read = _words(chapter)
        names = tuple(read or numbered(controls.slider(chapter, "size")))
        show(above, kept(chapter, partial(_figure, chapter, names), names))
    counting = told or chapter.frame.at or getattr(chapter.settings, PAIRS.name)
    if counting and predict(chapter, PAIRS):
        chapter.write("pairs.text")


def _figure(chapter: Chapter[Ahead], names: tuple[str, ...]) -> Figure:
    size = len(names)
    mask = subsequent_mask(size)[0].int().numpy()
    square = pairs(chapter, names)
    return Figure(
        "look_ahead",
        Board([square("mask", mask, scale="mask", made=LOOK_AHEAD)]),
        provenance(f"subsequent_mask({size})", *mask.shape),
        code=[subsequent_mask],
        program=f"""import torch

shown = torch.ones({size}, {size}).tril().int()  # 1 = may attend
print(shown)""",
        alt=chapter.say("look_ahead.alt", size=size),
    )


def _words(chapter: Chapter[Ahead]) -> list[str]:
    """What the decoder reads of the answer to the reader's sentence; none where the model reads numbers."""
    at_hand, src = chapter.at_hand, typed(chapter, "src")
    if at_hand.words is None or not src:
        return []
    chapter.write("look_ahead.words", sentence=at_hand.source.text(src))
    return at_hand.target.labels(answer(at_hand, src)[:-1])
