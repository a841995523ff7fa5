"""One turn of the loop: what the decoder has written, what it looks at, and what it chooses."""

import numpy as np
import streamlit as st

from transformer_core import PAD, greedy_steps
from ui import controls
from ui.chapters.decoding.values import decoding_snippet, turns_of
from ui.figures.figure import Figure
from ui.figures.tokens import named
from ui.figures.training import verdict
from ui.figures.turns import turn_board
from ui.session import LONGEST
from ui.shell import Chapter
from ui.show import show

LABELS = ("mask", "cross", "probabilities", "query", "key", "head", "heads", "source", "token", "turn")


def turns(chapter: Chapter) -> None:
    at_hand, say = chapter.at_hand, chapter.say
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
    st.html(_written(chapter, written, src))
    if at_hand.step and len(src) > at_hand.config.length:
        st.info(say("longer", length=len(src), trained=at_hand.config.length))
    logits, probabilities = (np.stack([getattr(each, name) for each in so_far]) for name in ("logits", "probabilities"))
    labels = {name: say(f"label.{name}", layer=layer, turn=turn) for name in LABELS}
    cross = now.masked[layer], now.cross[layer]
    seen = f"decoder.layers.{layer}.src_attn.weights[:, -1] · {' × '.join(map(str, cross[1].shape))}"
    figure = Figure(
        "turn",
        turn_board(now.mask, cross, (logits, probabilities), written, src, PAD, labels),
        say("alt", turn=turn, token=now.choice),
        f"{seen} · {at_hand.provenance('generator.log_probs', *probabilities.shape)}",
        code=[greedy_steps],
        program=decoding_snippet(at_hand, src, start, turn),
    )
    show(chapter, figure)
    best = np.argsort(-now.probabilities, kind="stable")[:3]
    ranking = ", ".join(f"**{token}** {now.probabilities[token]:.2%}" for token in best)
    st.markdown(say("ranking", turn=turn, ranking=ranking))
    output = [*decoded[-1].given, decoded[-1].choice]
    same = sum(ours == theirs for ours, theirs in zip(output[1:], src[1:]))
    st.markdown(say("result", output=" ".join(named(output)), same=same, of=len(src) - 1))


def step(chapter: Chapter, by: int) -> bool:
    """On or back by a turn; False where the output begins or ends."""
    to = chapter.settings.turn + by
    there = 1 <= to < len(controls.typed(chapter, "src", chapter.at_hand.config.vocab, LONGEST))
    if there:
        chapter.put("turn", to)
    return there


def reading(chapter: Chapter) -> None:
    chapter.write("see", "name", "formula", "why", "begin")


def _written(chapter: Chapter, written: list[int], src: tuple[int, ...]) -> str:
    """The source, and the output with the token just chosen; a token that is no copy is marked."""
    say, wanted = chapter.say, [*written[:1], *src[1:]]
    source = "".join(f'<span class="token">{token}</span>' for token in named(src))
    return f'<div class="tokens"><small class="enc">{say("source")}</small>{source}</div>' + verdict(
        say("output"), named(written), named(wanted), say("mistake"), "dec", chosen=len(written) - 1
    )
