"""Label smoothing, the divergence per position, and the Noam rate (paper, sections 5.3 and 5.4)."""

import numpy as np
import streamlit as st
import torch

from transformer_core import LabelSmoothing, divergence_terms, noam_rate, smoothed_targets
from ui import controls
from ui.caption import caption, provenance
from ui.drawing import board, chart
from ui.figures.arithmetic import equation, joined, number, operand
from ui.figures.losses import divergence_panels, rate_curve, target_panel
from ui.sequence import PAD, NotASequence, tokens
from ui.session import LONGEST, forward
from ui.settings.loss import Loss
from ui.shell import close_chapter, open_chapter
from ui.text import Words

chapter = open_chapter("loss", Loss)
say = chapter.say


@st.fragment
def smoothing() -> None:
    left, middle, right = st.columns(3, vertical_alignment="bottom")
    with left:
        share = controls.slider(chapter, "smoothing", step=0.05)
    with middle:
        vocab = controls.slider(chapter, "vocabulary")
    with right:
        typed = controls.text(chapter, "targets")
    try:
        answers = tokens(typed, vocab, LONGEST)
    except NotASequence as problem:
        st.warning(Words("shell", chapter.lang)(problem.key, **problem.values))
        return
    true_dist = smoothed_targets(torch.tensor(answers), vocab, PAD, share).numpy()
    labels = {name: say(f"label.{name}") for name in ("targets", "answer", "token")}
    panel = target_panel(true_dist, answers, PAD, labels)
    pointed = board(chapter, "smoothing", [panel], cell="picture", alt=say("smoothing_alt", share=share))
    if pointed.chosen:
        _, row, token = pointed.chosen
        st.html(_share(answers[row], token, vocab, share, float(true_dist[row, token])))
    origin = provenance(f"smoothed_targets([{', '.join(map(str, answers))}], {vocab}, 0, {share:g})", *true_dist.shape)
    caption(chapter, "smoothing", origin, numbers=true_dist, code=[smoothed_targets], snippet=_snippet(answers, vocab))


def _share(answer: int, token: int, vocab: int, share: float, result: float) -> str:
    """Where one cell of the smoothed targets comes from."""
    name = f"t({token})"
    if PAD in (answer, token):
        return equation(name, say("padding_cell"), result=result)
    if token == answer:
        return equation(name, f"1 − {share:g}", result=result)
    return equation(name, f"{share:g} / ({vocab} − 2)", result=result)


def _snippet(answers: tuple[int, ...], vocab: int) -> str:
    return (
        "import torch\n"
        "from transformer_core import smoothed_targets\n\n"
        f"print(smoothed_targets(torch.tensor({list(answers)}), {vocab}, 0, {chapter.settings.smoothing:g}))\n"
    )


@st.fragment
def divergence() -> None:
    at_hand = chapter.at_hand
    vocab = at_hand.config.vocab
    src = controls.sequence(chapter, "src", vocab, LONGEST)
    if src is None:
        return
    if len(src) < 2:
        st.warning(say("too_short"))
        return
    answers = src[1:]  # the copy task: the target is the source
    log_probs = forward(at_hand.model, src, src[:-1])[0][0]
    true_dist = smoothed_targets(torch.tensor(answers), vocab, PAD, chapter.settings.smoothing)
    terms = divergence_terms(log_probs, true_dist)
    logits = log_probs.clone().requires_grad_()  # log-probabilities are logits whose exponentials sum to one
    torch.nn.functional.kl_div(logits.log_softmax(-1), true_dist, reduction="sum").backward()
    assert logits.grad is not None
    t, p, gradient = true_dist.numpy(), log_probs.exp().numpy(), logits.grad.numpy()
    labels = {name: say(f"label.{name}") for name in ("t", "p", "terms", "gradient", "kl", "answer", "token")}
    panels = divergence_panels(t, p, terms.numpy(), gradient, answers, PAD, labels)
    pointed = board(chapter, "divergence", panels, alt=say("divergence_alt"))
    if pointed.chosen:
        st.html(_divergence_cell(pointed.chosen, true_dist, log_probs, logits.grad))
    counted = sum(answer != PAD for answer in answers)
    guess = np.log(vocab)
    if counted:
        st.markdown(say("mean", mean=number(float(terms.sum()) / counted, 3), guess=f"{guess:.2f}", vocab=vocab))
    origin = at_hand.provenance("generator.log_probs", *log_probs.shape)
    caption(chapter, "divergence", origin, numbers=terms.numpy(), code=[divergence_terms, LabelSmoothing])


def _divergence_cell(
    chosen: tuple[str, int, int], true_dist: torch.Tensor, log_probs: torch.Tensor, gradient: torch.Tensor
) -> str:
    panel, row, token = chosen
    t, log_p = true_dist[row].tolist(), log_probs[row].tolist()
    if panel == "t":
        return equation(f"t({token})", result=t[token])
    if panel == "p":
        return equation(f"p({token})", f"e<sup>{number(log_p[token])}</sup>", result=float(np.exp(log_p[token])))
    if panel == "gradient":
        sides = f"{operand(float(np.exp(log_p[token])))} − {operand(t[token])}"
        return equation(f"∂KL/∂x({token})", f"p − t = {sides}" if any(t) else "0", result=float(gradient[row, token]))
    summands = divergence_terms(log_probs[row], true_dist[row]).tolist()
    if panel == "kl":
        shown = [_term(t[k], log_p[k]) for k in range(len(t)) if t[k] > 0]
        return equation("KL", joined(shown) or "0", result=sum(summands))
    return equation(f"t(ln t − ln p), {token}", _term(t[token], log_p[token]), result=summands[token])


def _term(t: float, log_p: float) -> str:
    return f"{operand(t)}·({number(float(np.log(t)), 3)} − {operand(log_p)})" if t > 0 else "0"


@st.fragment
def rate() -> None:
    columns = st.columns(4)
    values = []
    for column, (name, step) in zip(columns, (("width", 16), ("factor", 0.1), ("warmup", 10), ("at", 1))):
        with column:
            values.append(controls.slider(chapter, name, step=step))
    width, factor, warmup, at = values
    steps = np.unique([*np.linspace(1, 20_000, 400).astype(int), warmup, at])
    rates = np.array([noam_rate(int(step), width, factor, warmup) for step in steps])
    here = noam_rate(at, width, factor, warmup)
    labels = {name: say(f"label.{name}") for name in ("step", "rate")}
    chart(chapter, "rate", rate_curve(steps, rates, (at, here), warmup, labels, chapter.mode), alt=say("rate_alt"))
    smaller = min(at**-0.5, at * warmup**-1.5)
    sides = f"{factor:g} · {width}<sup>−0.5</sup> · min({number(at**-0.5)}, {number(at * warmup**-1.5)})"
    st.html(equation(f"rate({at})", sides, f"{factor:g} · {number(width**-0.5)} · {number(smaller)}", result=here))
    origin = provenance(f"noam_rate(step, {width}, {factor:g}, {warmup})", len(steps))
    caption(chapter, "rate", origin, numbers=np.stack([steps, rates], 1), columns=("step", "rate"), code=[noam_rate])


smoothing()
for paragraph in ("see", "formula", "misread"):
    chapter.write(paragraph)
st.header(say("divergence"), anchor=False)
chapter.write("divergence_promise")
divergence()
for paragraph in ("divergence_formula", "divergence_why"):
    chapter.write(paragraph)
st.header(say("rate"), anchor=False)
chapter.write("rate_promise")
rate()
for paragraph in ("rate_formula", "rate_why"):
    chapter.write(paragraph)
close_chapter(chapter)
