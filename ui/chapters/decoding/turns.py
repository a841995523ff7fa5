"""One turn of the loop: what the decoder has written, what it looks at, and what it chooses."""

import numpy as np
import streamlit as st

from transformer_core import PAD, greedy_steps
from ui import controls
from ui.answer import answer
from ui.chapters.decoding.values import decoding_snippet, turns_of
from ui.figures.figure import Figure
from ui.figures.training import verdict
from ui.figures.turns import turn_board
from ui.session import ModelAtHand
from ui.shell import Chapter
from ui.show import show
from ui.typed import sequence, typed

LABELS = ("mask", "cross", "probabilities", "query", "key", "head", "heads", "source", "token", "turn")


def turns(chapter: Chapter) -> None:
    at_hand, say = chapter.at_hand, chapter.say
    left, middle, beside, right = st.columns([4, 3, 3, 3])
    with left:
        src = sequence(chapter, "src")
    if src is None:
        return
    if len(src) < 2:
        st.warning(say("too_short"))
        return
    with beside:
        start = controls.slider(chapter, "start", 0, len(at_hand.target) - 1)
    decoded = turns_of(at_hand, src, start)
    with middle:
        turn = controls.slider(chapter, "turn", 1, len(decoded))
    with right:
        layer = controls.number_of(chapter, "layer", at_hand.config.N)

    so_far, now = decoded[:turn], decoded[turn - 1]
    written, wanted, named = [*now.given, now.choice], (start, *answer(at_hand, src)[1:]), at_hand.target.every
    st.html(_written(chapter, written, wanted, src))
    if at_hand.step and len(src) > at_hand.config.length:
        st.info(say("longer", length=len(src), trained=at_hand.config.length))
    logits, probabilities = (np.stack([getattr(each, name) for each in so_far]) for name in ("logits", "probabilities"))
    labels = {name: say(f"label.{name}", layer=layer, turn=turn) for name in LABELS}
    cross = now.masked[layer], now.cross[layer]
    seen = f"decoder.layers.{layer}.src_attn.weights[:, -1] · {' × '.join(map(str, cross[1].shape))}"
    figure = Figure(
        "turn",
        turn_board(
            now.mask,
            cross,
            (logits, probabilities),
            at_hand.target.labels(written),
            at_hand.source.labels(src),
            [j for j, token in enumerate(src) if token == PAD],
            _choices(at_hand, written, wanted),
            named,
            labels,
        ),
        say("alt", turn=turn, token=named[now.choice]),
        f"{seen} · {at_hand.provenance('generator.log_probs', *probabilities.shape)}",
        code=[greedy_steps],
        program=decoding_snippet(at_hand, src, start, turn),
    )
    show(chapter, figure)
    best = np.argsort(-now.probabilities, kind="stable")[:3]
    ranking = ", ".join(f"**{named[token]}** {now.probabilities[token]:.2%}" for token in best)
    st.markdown(say("ranking", turn=turn, ranking=ranking))
    output = [*decoded[-1].given, decoded[-1].choice]
    same = sum(ours == theirs for ours, theirs in zip(output[1:], wanted[1:]))
    st.markdown(say("result", output=" ".join(at_hand.target.labels(output)), same=same, of=len(wanted) - 1))


def step(chapter: Chapter, by: int) -> bool:
    """On or back by a turn; False where the output begins or ends."""
    to = chapter.settings.turn + by
    src = typed(chapter, "src")
    there = len(src) > 1 and 1 <= to <= len(turns_of(chapter.at_hand, src, chapter.settings.start))
    if there:
        chapter.put("turn", to)
    return there


def reading(chapter: Chapter) -> None:
    chapter.write("see", "name", "formula", "why", "begin")


def _choices(at_hand: ModelAtHand, written: list[int], wanted: tuple[int, ...]) -> list[str]:
    """`3 → 猫`, a line for each turn; one that is not the answer's token is marked."""
    return [
        f"{turn} → {at_hand.target.every[token]}{' ✗' if wanted[turn : turn + 1] not in ((), (token,)) else ''}"
        for turn, token in enumerate(written[1:], 1)
    ]


def _written(chapter: Chapter, written: list[int], wanted: tuple[int, ...], src: tuple[int, ...]) -> str:
    """The source, and the output with the token just chosen; a token that is not the answer's is marked."""
    say, at_hand = chapter.say, chapter.at_hand
    labels = at_hand.target.labels
    source = "".join(f'<span class="token">{token}</span>' for token in at_hand.source.labels(src))
    return f'<div class="tokens"><small class="enc">{say("source")}</small>{source}</div>' + verdict(
        say("output"), labels(written), labels(wanted), say("mistake"), "dec", chosen=len(written) - 1
    )
