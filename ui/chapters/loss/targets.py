"""Loss chapter: what label smoothing makes of the answers."""

from dataclasses import replace

import streamlit as st
import torch

from transformer_core import PAD, smoothed_targets
from ui.figures.figure import Board, Figure
from ui.figures.losses import target_panel
from ui.frame.chapter import Chapter
from ui.frame.fragment import fragment
from ui.page import controls
from ui.page.typed import LONGEST
from ui.reading.sequence import NotASequence, numbers
from ui.showing.caption import provenance
from ui.showing.show import show
from ui.text import Words


def targets(chapter: Chapter) -> None:
    _picture(chapter)
    chapter.write("see", "formula")


@fragment
def _picture(chapter: Chapter) -> None:
    say = chapter.say
    left, middle, right = st.columns(3, vertical_alignment="bottom")
    with left:
        smoothing = controls.slider(chapter, "smoothing", step=0.05)
    with middle:
        vocab = controls.slider(chapter, "vocabulary")
    with right:
        typed = controls.text(chapter, "targets")
    try:
        answers = numbers(typed, vocab, LONGEST)
    except NotASequence as problem:
        st.warning(Words("shell", chapter.lang)(problem.key, **problem.values))
        return
    true_dist = smoothed_targets(torch.tensor(answers), vocab, PAD, smoothing).numpy()
    labels = {name: say(f"label.{name}") for name in ("targets", "answer", "token", "others")}
    names = list(map(str, range(vocab)))
    panel = replace(
        target_panel("targets", true_dist, answers, PAD, smoothing, labels, names),
        print_values=True,
    )
    figure = Figure(
        "smoothing",
        Board([panel], cell="picture"),
        say("smoothing_alt", share=smoothing),
        provenance(f"smoothed_targets({list(answers)}, {vocab}, {PAD}, {smoothing:g})", *true_dist.shape),
        code=[smoothed_targets],
        program=program(answers, vocab, smoothing),
    )
    show(chapter, figure)


def program(answers: tuple[int, ...], vocab: int, smoothing: float) -> str:
    return f"""import torch

answers, vocab, padding, smoothing = torch.tensor({list(answers)}), {vocab}, {PAD}, {smoothing:g}
shown = torch.full((len(answers), vocab), smoothing / (vocab - 2))
shown[range(len(answers)), answers] = 1 - smoothing
shown[:, padding] = 0
shown[answers == padding] = 0
print(shown)
"""
