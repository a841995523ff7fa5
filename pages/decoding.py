"""Greedy decoding, one token at a time (paper, section 3.1)."""

import streamlit as st
import torch

from transformer_core import PAD, START, greedy_decode, greedy_steps, padding_mask
from ui import controls
from ui.caption import caption
from ui.drawing import board
from ui.figures.arithmetic import equation, joined, number
from ui.figures.turns import turn_panels
from ui.session import LONGEST
from ui.settings.decoding import Decoding
from ui.shell import close_chapter, open_chapter

chapter = open_chapter("decoding", Decoding)
say = chapter.say


@st.fragment
def turns() -> None:
    at_hand = chapter.at_hand
    left, middle, right = st.columns([3, 3, 2], vertical_alignment="bottom")
    with left:
        src = controls.sequence(chapter, "src", at_hand.config.vocab, LONGEST)
    if src is None:
        return
    if len(src) < 2:
        st.warning(say("too_short"))
        return
    sources = torch.tensor([src])
    steps = list(greedy_steps(at_hand.model, sources, padding_mask(sources, PAD), len(src), START))
    with middle:
        turn = controls.slider(chapter, "turn", 1, len(steps))
    with right:
        layer = controls.number_of(chapter, "layer", at_hand.config.N)

    step = steps[turn - 1]
    written = [*step.ys[0].tolist(), int(step.choice)]
    cross = step.trace[f"decoder.layers.{layer}.src_attn.weights"][0, :, -1]  # (h, S), of the last position
    probabilities = torch.cat([step.log_probs for step in steps[:turn]]).exp()  # (turn, vocab)
    labels = {name: say(f"label.{name}", layer=layer, turn=turn) for name in
              ("mask", "cross", "probabilities", "query", "key", "head", "source", "token", "turn")}  # fmt: skip
    st.html(_written(written, src))
    panels = turn_panels(step.tgt_mask[0].numpy(), cross.numpy(), probabilities.numpy(), written, src, PAD, labels)
    pointed = board(chapter, "turn", panels, alt=say("alt", turn=turn, token=written[-1]))
    if pointed.chosen and pointed.chosen[0] == "probabilities":
        _, row, token = pointed.chosen
        st.html(_softmax(steps[row].trace["generator.logits"][0].tolist(), token, float(probabilities[row, token])))
    best = probabilities[-1].topk(min(3, probabilities.size(1)))
    ranking = ", ".join(f"**{token}** {share:.2%}" for share, token in zip(best.values.tolist(), best.indices.tolist()))
    st.markdown(say("ranking", turn=turn, ranking=ranking))
    origin = at_hand.provenance(f"decoder.layers.{layer}.src_attn.weights[:, -1]", *cross.shape)
    caption(chapter, "turn", origin, numbers=probabilities.numpy(), code=[greedy_steps, greedy_decode])
    output = greedy_decode(at_hand.model, sources, padding_mask(sources, PAD), len(src), START)[0]
    same = int((output[1:] == sources[0, 1:]).sum())
    st.markdown(say("result", output=" ".join(map(str, output.tolist())), same=same, of=len(src) - 1))


def _written(written: list[int], src: tuple[int, ...]) -> str:
    """The source, and the output with the token just chosen."""
    shown = [f'<span class="token">{token}</span>' for token in written[:-1]]
    shown.append(f'<span class="token dec chosen">{written[-1]}</span>')
    source = "".join(f'<span class="token">{token}</span>' for token in src)
    return (
        f'<div class="tokens"><small class="enc">{say("source")}</small>{source}</div>'
        f'<div class="tokens"><small class="dec">{say("output")}</small>{"".join(shown)}</div>'
    )


def _softmax(logits: list[float], token: int, probability: float) -> str:
    """exp(logit) of the token over the sum of all."""
    terms = joined([f"e<sup>{number(logit, 3)}</sup>" for logit in logits])
    top = f"e<sup>{number(logits[token], 3)}</sup>"
    return equation(f"p({token})", f"{top} / ({terms})", result=probability)


turns()
for paragraph in ("see", "name", "formula", "why", "start"):
    chapter.write(paragraph)
close_chapter(chapter)
