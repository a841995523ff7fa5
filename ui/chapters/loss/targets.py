"""What label smoothing makes of the answers."""

from dataclasses import replace

import streamlit as st
import torch

from transformer_core import PAD, smoothed_targets
from ui.chapters.loss.boards import target_panel
from ui.figures import Board, Figure, runnable
from ui.inputs.sequence import NotASequence, numbers
from ui.sections import Chapter, Choice, Section, controls, provenance, show
from ui.sections.sequence_fields import LONGEST
from ui.settings.fields import Settings, real, text, whole

ASK_SHARE = Choice("ask_share", ("others", "padding", "likely"), right="others")


class Targets(Settings):
    smoothing: float = real(0.5, 0.0, 0.9)
    vocabulary: int = whole(5, 3, 20)
    targets: str = text("2 1 0", 80)


@Section("targets", settings=Targets, cell="picture", look="lead", lesson=(ASK_SHARE,))
def targets(chapter: Chapter[Targets]) -> None:
    _picture(chapter)
    chapter.write("see", "formula")


def _picture(chapter: Chapter[Targets]) -> None:
    say, above = chapter.say, chapter.figure_first()
    smoothing, vocab, typed = controls.side_by_side(chapter, smoothing={"step": 0.05}, vocabulary={}, targets={})
    try:
        answers = numbers(typed, vocab, LONGEST)
    except NotASequence as problem:
        st.warning(chapter.shell(problem.key, **problem.values))
        return
    given = torch.tensor(answers), vocab, PAD, smoothing
    true_dist = smoothed_targets(*given).numpy()
    labels = {name: say(f"label.{name}") for name in ("targets", "answer", "token", "others")}
    names = list(map(str, range(vocab)))
    panel = target_panel("targets", true_dist, answers, PAD, smoothing, labels, names)
    figure = Figure(
        "smoothing",
        Board([replace(panel, print_values=True)]),
        provenance(f"smoothed_targets({list(answers)}, {vocab}, {PAD}, {smoothing:g})", *true_dist.shape),
        code=[smoothed_targets],
        program=runnable(smoothed_targets, *given),
        alt=say("smoothing_alt", share=smoothing),
    )
    show(above, figure)
