"""Greedy decoding, one token at a time (paper, section 3.1)."""

import math

import numpy as np
import streamlit as st

from transformer_core import PAD, greedy_steps
from ui import controls
from ui.caption import caption
from ui.drawing import board
from ui.figures.arithmetic import equation, exponential, share
from ui.figures.tokens import named
from ui.figures.training import verdict
from ui.figures.turns import turn_panels
from ui.fragment import fragment
from ui.labs.decoding_values import Turn, decoding_snippet, turns_of
from ui.session import LONGEST
from ui.settings.decoding import Decoding
from ui.shell import close_chapter, open_chapter

chapter = open_chapter("decoding", Decoding)
say = chapter.say

LABELS = ("mask", "cross", "probabilities", "query", "key", "head", "heads", "source", "token", "turn")


@fragment
def turns() -> None:
    at_hand = chapter.at_hand
    left, middle, beside, right = st.columns([4, 3, 3, 3])
    with left:
        src = controls.sequence(chapter, "src", at_hand.config.vocab, LONGEST)
    if src is None:
        return
    if len(src) < 2:
        st.warning(say("too_short"))
        return
    with beside:
        start = controls.slider(chapter, "start", 0, at_hand.config.vocab - 1)
    decoded = turns_of(at_hand, src, start)
    with middle:
        turn = controls.slider(chapter, "turn", 1, len(decoded))
    with right:
        layer = controls.number_of(chapter, "layer", at_hand.config.N)

    so_far, now = decoded[:turn], decoded[turn - 1]
    written = [*now.given, now.choice]
    probabilities = np.stack([each.probabilities for each in so_far])  # (turn, vocab)
    labels = {name: say(f"label.{name}", layer=layer, turn=turn) for name in LABELS}
    st.html(_written(written, src))
    if at_hand.step and len(src) > at_hand.config.length:
        st.info(say("longer", length=len(src), trained=at_hand.config.length))
    panels = turn_panels(now.mask, now.cross[layer], probabilities, written, src, PAD, labels)
    chosen = board(chapter, "turn", panels, alt=say("alt", turn=turn, token=now.choice)).chosen
    if chosen:
        st.html(_cell(chosen, so_far, layer))
    best = np.argsort(-now.probabilities, kind="stable")[:3]
    ranking = ", ".join(f"**{token}** {now.probabilities[token]:.2%}" for token in best)
    st.markdown(say("ranking", turn=turn, ranking=ranking))
    cross = f"decoder.layers.{layer}.src_attn.weights[:, -1]"
    caption(
        chapter,
        "turn",
        f"{cross} · {' × '.join(map(str, now.cross[layer].shape))} · "
        f"{at_hand.provenance('generator.log_probs', *probabilities.shape)}",
        numbers=probabilities,
        code=[greedy_steps],
        snippet=decoding_snippet(at_hand, src, start, turn),
    )
    output = [*decoded[-1].given, decoded[-1].choice]
    same = sum(ours == theirs for ours, theirs in zip(output[1:], src[1:]))
    st.markdown(say("result", output=" ".join(named(output)), same=same, of=len(src) - 1))


def _written(written: list[int], src: tuple[int, ...]) -> str:
    """The source, and the output with the token just chosen; a token that is no copy is marked."""
    wanted = [*written[:1], *src[1:]]
    source = "".join(f'<span class="token">{token}</span>' for token in named(src))
    return f'<div class="tokens"><small class="enc">{say("source")}</small>{source}</div>' + verdict(
        say("output"), named(written), named(wanted), say("mistake"), "dec", chosen=len(written) - 1
    )


def _cell(chosen: tuple[str, int, int], so_far: list[Turn], layer: int) -> str:
    panel, row, column = chosen
    if panel == "mask":
        return equation(f"mask<sub>{row},{column}</sub>", f"[{column} ≤ {row}]", result=int(column <= row))
    if panel == "cross":
        return _softmax(f"weights<sub>{row},{column}</sub>", so_far[-1].masked[layer, row].tolist(), column)
    return _softmax(f"p({column})", so_far[row].logits.tolist(), column)


def _softmax(name: str, scores: list[float], at: int) -> str:
    """The exponential of one score, and its share of the sum of all."""
    parts = [math.exp(score - max(scores)) for score in scores]
    return exponential("e", scores[at], max(scores)) + share(name, parts, at)


turns()
chapter.write("see", "name", "formula", "why", "begin")
close_chapter(chapter)
