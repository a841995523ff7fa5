"""Loss chapter: what label smoothing makes of the answers."""

import streamlit as st
import torch

from transformer_core import PAD, smoothed_targets
from ui import controls
from ui.caption import caption, provenance
from ui.drawing import board
from ui.figures.arithmetic import equation
from ui.figures.losses import target_panel
from ui.fragment import fragment
from ui.sequence import NotASequence, tokens
from ui.session import LONGEST
from ui.shell import Chapter
from ui.text import Words


@fragment
def targets_lab(chapter: Chapter) -> None:
    say = chapter.say
    left, middle, right = st.columns(3, vertical_alignment="bottom")
    with left:
        smoothing = controls.slider(chapter, "smoothing", step=0.05)
    with middle:
        vocab = controls.slider(chapter, "vocabulary")
    with right:
        typed = controls.text(chapter, "targets")
    try:
        answers = tokens(typed, vocab, LONGEST)
    except NotASequence as problem:
        st.warning(Words("shell", chapter.lang)(problem.key, **problem.values))
        return
    true_dist = smoothed_targets(torch.tensor(answers), vocab, PAD, smoothing).numpy()
    labels = {name: say(f"label.{name}") for name in ("targets", "answer", "token")}
    panel = target_panel(true_dist, answers, PAD, labels)
    chosen = board(chapter, "smoothing", [panel], cell="picture", alt=say("smoothing_alt", share=smoothing)).chosen
    if chosen:
        _, row, token = chosen
        st.html(target_cell(chapter, answers[row], token, vocab, smoothing, float(true_dist[row, token])))
    given = f"{vocab}, {PAD}, {smoothing:g}"
    call = f"smoothed_targets(torch.tensor({list(answers)}), {given})"
    caption(
        chapter,
        "smoothing",
        provenance(f"smoothed_targets({list(answers)}, {given})", *true_dist.shape),
        numbers=true_dist,
        code=[smoothed_targets],
        snippet=f"import torch\nfrom transformer_core import smoothed_targets\n\nshown = {call}\nprint(shown)\n",
    )


def target_cell(chapter: Chapter, answer: int, token: int, vocab: int, smoothing: float, result: float) -> str:
    """Where one cell of the smoothed targets comes from."""
    name = f"t({token})"
    if PAD in (answer, token):
        return equation(name, chapter.say("padding_cell"), result=result)
    if token == answer:
        return equation(name, f"1 − {smoothing:g}", result=result)
    return equation(name, f"{smoothing:g} / ({vocab} − 2)", result=result)
