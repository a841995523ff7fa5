"""What label smoothing makes of the answers; and how far the model is from such targets, by position."""

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np
import streamlit as st
import torch
from torch import Tensor

from transformer_core import PAD, LabelSmoothing, divergence_terms, smoothed_targets
from ui.chapters.loss.boards import divergence_board, target_panel
from ui.chapters.shared.model_program import model_snippet
from ui.figures import Board, Figure, number, runnable
from ui.figures.board import Few
from ui.inputs.sequence import NotASequence, numbers
from ui.model import answer
from ui.model.recorded import forward
from ui.sections import Chapter, Choice, Frame, Section, controls, kept, provenance, sequence, show
from ui.sections.sequence_fields import LONGEST
from ui.settings.fields import Settings, real, text, whole

ASK_SHARE = Choice("ask_share", ("others", "padding", "likely"), right="others")


class Targets(Settings):
    smoothing: float = real(0.5, 0.0, 0.9)
    vocabulary: int = whole(5, 3, 20)
    targets: str = text("2 1 0", 80)


@Section("targets", settings=Targets, cell="picture", look="open", lesson=(ASK_SHARE,))
def targets(chapter: Chapter[Targets]) -> None:
    figure, words = st.columns([4, 5], gap="medium")
    with figure:
        above = chapter.figure_first()
    with words:
        _picture(chapter, above)
        chapter.write("see", "formula")


def _picture(chapter: Chapter[Targets], above: Chapter[Targets]) -> None:
    smoothing, vocab = controls.side_by_side(chapter, smoothing={"step": 0.05}, vocabulary={})
    typed = controls.text(chapter, "targets")
    try:
        answers = numbers(typed, vocab, LONGEST)
    except NotASequence as problem:
        st.warning(chapter.shell(problem.key, **problem.values))
        return
    about = tuple(answers), vocab, smoothing
    show(above, kept(chapter, partial(_smoothed, chapter, *about), *about))


def _smoothed(chapter: Chapter[Targets], answers: tuple[int, ...], vocab: int, smoothing: float) -> Figure:
    say = chapter.say
    given = torch.tensor(answers), vocab, PAD, smoothing
    true_dist = smoothed_targets(*given).numpy()
    labels = {name: say(f"label.{name}") for name in ("targets", "answer", "token", "others")}
    names = list(map(str, range(vocab)))
    panel = target_panel("targets", true_dist, answers, PAD, smoothing, labels, names)
    return Figure(
        "smoothing",
        Board([replace(panel, print_values=True)]),
        provenance(f"smoothed_targets({list(answers)}, {vocab}, {PAD}, {smoothing:g})", *true_dist.shape),
        code=[smoothed_targets],
        program=runnable(smoothed_targets, *given),
        alt=say("smoothing_alt", share=smoothing),
    )


WIDEST = 20  # tokens of a vocabulary that is drawn whole
LIKELY = 3  # tokens that are drawn of a longer one although no answer asks for them
LABELS = ("t", "p", "terms", "gradient", "kl", "answer", "token", "others")


class Divergence(Settings):
    asked_smoothing: float = real(0.1, 0.0, 0.9)  # the paper's


@Section("divergence", settings=Divergence, cell="cell", reads=(Frame,), types=("src",), look="lead", text="text")
def divergence(chapter: Chapter[Divergence]) -> None:
    above = chapter.figure_first()
    left, right = st.columns(2)
    with left:
        src = sequence(chapter, "src")
    with right:
        smoothing = controls.slider(chapter, "asked_smoothing", step=0.05)
    if len(src) < 2:
        st.warning(chapter.say("too_short"))
    else:
        _figure(chapter, above, src, smoothing)
    chapter.write("divergence_formula", "divergence_why")


class Measured(NamedTuple):
    figure: Figure
    few: Few
    means: dict[str, str]  # of the terms, and of guessing; empty where no position counts


def _figure(chapter: Chapter[Divergence], above: Chapter[Divergence], src: tuple[int, ...], smoothing: float) -> None:
    at_hand, vocab = chapter.at_hand, len(chapter.at_hand.target)
    found = kept(chapter, partial(_measured, chapter, src, smoothing), src, smoothing)
    show(above, found.figure)
    if found.few.others:
        chapter.write("few", others=len(found.few.others), vocab=vocab)
    if at_hand.config.answer(src) is None:
        chapter.write("no_answer")
    if found.means:
        chapter.write("mean", vocab=vocab, **found.means)
    if at_hand.step:
        chapter.write("trained_with", smoothing=f"{at_hand.run.smoothing:g}")


def _measured(chapter: Chapter[Divergence], src: tuple[int, ...], smoothing: float) -> Measured:
    say, at_hand = chapter.say, chapter.at_hand
    target, vocab = answer(at_hand, src), len(at_hand.target)
    given, answers = target[:-1], target[1:]
    log_probs = forward(at_hand.load(), src, given)[0][0].double().log_softmax(-1)  # once more, to sum to 1 exactly
    true_dist = smoothed_targets(torch.tensor(answers), vocab, PAD, smoothing).double()
    terms, gradient = divergence_terms(log_probs, true_dist), gradient_of(log_probs, true_dist)
    labels = {name: say(f"label.{name}") for name in LABELS}
    few = columns(answers, log_probs.numpy())
    targets = target_panel("t", true_dist.numpy(), answers, PAD, smoothing, labels, at_hand.target.every, few)
    figure = Figure(
        "divergence",
        divergence_board(targets, log_probs.numpy(), terms.numpy(), gradient.numpy(), labels, few),
        at_hand.provenance("generator.log_probs", *log_probs.shape),
        numbers=terms.numpy(),
        columns=at_hand.target.every,
        code=[divergence_terms, LabelSmoothing],
        program=program(model_snippet(at_hand), src, target, vocab, smoothing),
        alt=say("divergence_alt"),
    )
    counted = sum(answer != PAD for answer in answers)
    alike = divergence_terms(torch.full_like(log_probs, -math.log(vocab)), true_dist)
    both = {"mean": terms, "guess": alike} if counted else {}
    return Measured(figure, few, {name: number(float(each.sum()) / counted, 3) for name, each in both.items()})


def columns(answers: Sequence[int], log_probs: np.ndarray) -> Few:
    """The tokens that are drawn: all, or of a long vocabulary padding, the answers, and what is likely without being
    asked for."""
    vocab = log_probs.shape[1]
    if vocab <= WIDEST:
        return Few.every(vocab)
    asked = tuple(dict.fromkeys((PAD, *answers)))
    likely = [token for token in np.argsort(-log_probs.max(0), kind="stable").tolist() if token not in asked]
    return Few(vocab, (*asked, *likely[:LIKELY]))


def gradient_of(log_probs: Tensor, true_dist: Tensor) -> Tensor:
    """∂KL/∂logits by autograd, (T, vocab); log-probabilities are logits whose exponentials sum to one."""
    logits = log_probs.clone().requires_grad_()
    torch.nn.functional.kl_div(logits.log_softmax(-1), true_dist, reduction="sum").backward()
    assert logits.grad is not None
    return logits.grad


def program(model: str, src: tuple[int, ...], target: tuple[int, ...], vocab: int, smoothing: float) -> str:
    return f"""{model}from transformer_core import divergence_terms, padding_mask, smoothed_targets, target_mask

src, tgt = torch.tensor([{list(src)}]), torch.tensor([{list(target)}])
given, answers = tgt[:, :-1], tgt[0, 1:]
with torch.no_grad():
    out = model(src, given, padding_mask(src), target_mask(given))
    log_probs = model.generator(out)[0]
shown = divergence_terms(log_probs, smoothed_targets(answers, {vocab}, {PAD}, {smoothing:g}))
print(shown)
"""
