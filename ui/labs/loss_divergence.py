"""Loss chapter: how far the model at hand is from its targets, position by position."""

import numpy as np
import streamlit as st
import torch
from torch import Tensor

from transformer_core import PAD, LabelSmoothing, divergence_terms, smoothed_targets
from ui import controls
from ui.caption import caption
from ui.drawing import board
from ui.figures.arithmetic import equation, joined, number, operand
from ui.figures.losses import divergence_panels
from ui.labs.loss_targets import target_cell
from ui.labs.model_snippet import model_snippet
from ui.session import LONGEST, forward
from ui.shell import Chapter


def divergence_lab(chapter: Chapter) -> None:
    say, at_hand = chapter.say, chapter.at_hand
    vocab = at_hand.config.vocab
    left, right = st.columns(2)
    with left:
        src = controls.sequence(chapter, "src", vocab, LONGEST)
    with right:
        smoothing = controls.slider(chapter, "asked_smoothing", step=0.05)
    if src is None:
        return
    if len(src) < 2:
        st.warning(say("too_short"))
        return
    answers = src[1:]  # the copy task: the target is the source
    log_probs = forward(at_hand.model, src, src[:-1])[0][0]
    true_dist = smoothed_targets(torch.tensor(answers), vocab, PAD, smoothing)
    terms, gradient = divergence_terms(log_probs, true_dist), gradient_of(log_probs, true_dist)
    labels = {name: say(f"label.{name}") for name in ("t", "p", "terms", "gradient", "kl", "answer", "token")}
    t, p = true_dist.numpy(), log_probs.exp().numpy()
    panels = divergence_panels(t, p, terms.numpy(), gradient.numpy(), answers, PAD, labels)
    chosen = board(chapter, "divergence", panels, alt=say("divergence_alt")).chosen
    if chosen and chosen[0] == "t":
        _, row, token = chosen
        st.html(target_cell(chapter, answers[row], token, vocab, smoothing, float(t[row, token])))
    elif chosen:
        st.html(_cell(chosen, true_dist, log_probs, terms, gradient))
    counted = sum(answer != PAD for answer in answers)
    if counted:
        alike = divergence_terms(torch.full_like(log_probs, -np.log(vocab)), true_dist)
        means = {name: number(float(each.sum()) / counted, 3) for name, each in (("mean", terms), ("guess", alike))}
        chapter.write("mean", vocab=vocab, **means)
    if at_hand.step:
        chapter.write("trained_with", smoothing=f"{at_hand.config.smoothing:g}")
    caption(
        chapter,
        "divergence",
        at_hand.provenance("generator.log_probs", *log_probs.shape),
        numbers=terms.numpy(),
        code=[divergence_terms, LabelSmoothing],
        snippet=divergence_snippet(model_snippet(at_hand), src, vocab, smoothing),
    )


def gradient_of(log_probs: Tensor, true_dist: Tensor) -> Tensor:
    """∂KL/∂logits by autograd, (T, vocab); log-probabilities are logits whose exponentials sum to one."""
    logits = log_probs.clone().requires_grad_()
    torch.nn.functional.kl_div(logits.log_softmax(-1), true_dist, reduction="sum").backward()
    assert logits.grad is not None
    return logits.grad


def _cell(chosen: tuple[str, int, int], true_dist: Tensor, log_probs: Tensor, terms: Tensor, gradient: Tensor) -> str:
    panel, row, token = chosen
    t, log_p, summands = (part[row].tolist() for part in (true_dist, log_probs, terms))
    if panel == "p":
        return equation(f"p({token})", f"e<sup>{number(log_p[token])}</sup>", result=float(np.exp(log_p[token])))
    if panel == "gradient":
        sides = f"p − t = {operand(float(np.exp(log_p[token])))} − {operand(t[token])}"
        return equation(f"∂KL/∂x({token})", sides if any(t) else "0", result=float(gradient[row, token]))
    if panel == "kl":
        shown = [_term(t[k], log_p[k]) for k in range(len(t)) if t[k] > 0]
        return equation("KL", joined(shown) or "0", result=sum(summands))
    return equation(f"t(ln t − ln p), {token}", _term(t[token], log_p[token]), result=summands[token])


def _term(t: float, log_p: float) -> str:
    return f"{operand(t)}·({number(float(np.log(t)), 3)} − {operand(log_p)})" if t > 0 else "0"


def divergence_snippet(model: str, src: tuple[int, ...], vocab: int, smoothing: float) -> str:
    return (
        f"{model}from transformer_core import divergence_terms, padding_mask, smoothed_targets, target_mask\n\n"
        f"src = torch.tensor([{list(src)}])\n"
        "given, answers = src[:, :-1], src[0, 1:]\n"
        "with torch.no_grad():\n"
        "    out = model(src, given, padding_mask(src), target_mask(given))\n"
        "    log_probs = model.generator(out)[0]\n"
        f"shown = divergence_terms(log_probs, smoothed_targets(answers, {vocab}, {PAD}, {smoothing:g}))\n"
        "print(shown.sum(1))\n"
    )
