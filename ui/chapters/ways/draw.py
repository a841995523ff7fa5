"""One turn of sampling: the model's probabilities, what becomes of them, and what is drawn."""

from html import escape

import numpy as np
import streamlit as st

from transformer_core import sampled_turns, sampling_steps
from transformer_core.decoding.loop import Outputs
from ui.chapters.shared.begun import OWN, Tokens, begun_field, begun_of, put_in_its_mouth
from ui.chapters.shared.output import reads, row
from ui.chapters.ways.sentence import missing_word
from ui.chapters.ways.values import Draw, How, draws_of, draws_program, greedy_of
from ui.figures.draws import Cut, draws_board
from ui.figures.few import Few
from ui.figures.figure import Figure
from ui.figures.number import number, percent
from ui.frame.chapter import Chapter
from ui.page import controls
from ui.page.typed import sequence, typed
from ui.showing.show import show

SHOWN = 8  # tokens that have a column: the likeliest
SURE = 0.99  # a probability from which on no temperature near 1 changes much
DRAWN = "◂"  # marks the token that is drawn
STEPS = ("p", "s", "r", "q", "c")
LABELS = ("step", "token", "cut")


def draw(chapter: Chapter) -> None:
    at_hand, say = chapter.at_hand, chapter.say
    left, middle, right = st.columns([5, 3, 3])
    with left:
        src = sequence(chapter, "src")
    with middle:
        turns = st.container()
        controls.slider(chapter, "temperature", step=0.1)
    with right, st.container(horizontal=True, gap="small"):
        with st.popover(say("more"), width="stretch"):
            controls.number(chapter, "top_k")
            controls.slider(chapter, "top_p", step=0.05)
            field = st.container()
        _next_seed(chapter)
        missing_word(chapter, "draw")
    if src is None:
        return
    if len(src) < 2:
        st.warning(say("too_short"))
        return
    how, begun = _how(chapter), begun_of(chapter, src)
    draws = draws_of(at_hand, src, how, begun)
    with turns:
        turn = controls.slider(chapter, "turn", 1, len(draws))
    now = draws[turn - 1]
    st.html(_written(chapter, draws, turn, len(begun)))
    picked = _figure(chapter, src, how, begun, now, turn)
    if picked is not None:
        put_in_its_mouth(chapter, now.given[1:], picked, draws_of(at_hand, src, how)[-1].output[1:])
    with field:
        begun_field(chapter, src)
    _said(chapter, src, how, begun, draws, turn)


def step(chapter: Chapter, by: int) -> bool:
    """On or back by a turn; False where the output begins or ends."""
    to, src = chapter.settings.turn + by, typed(chapter, "src")
    if len(src) < 2 or to < 1:
        return False
    there = to <= len(draws_of(chapter.at_hand, src, _how(chapter), begun_of(chapter, src)))
    if there:
        chapter.put("turn", to)
    return there


def reading(chapter: Chapter) -> None:
    chapter.write("formula", "why")


def _how(chapter: Chapter) -> How:
    settings = chapter.settings
    return How(settings.temperature, settings.top_k, settings.top_p, settings.seed)


def _next_seed(chapter: Chapter) -> None:
    seed = chapter.settings.seed
    if not chapter.hides("seed"):
        st.button(
            chapter.say("again", seed=seed),
            icon=":material/casino:",
            key="ways.seed",
            on_click=chapter.put,
            args=("seed", (seed + 1) % 10_000),
        )


def _figure(chapter: Chapter, src: Tokens, how: How, begun: Tokens, now: Draw, turn: int) -> int | None:
    """Draws the turn; returns the token that the reader has picked."""
    at_hand, say = chapter.at_hand, chapter.say
    named = at_hand.target.every
    order = np.argsort(-now.steps[0], kind="stable")
    place = int(np.flatnonzero(order == now.written)[0])
    few = Few.largest(now.steps[0][order], SHOWN, [place])
    names = few.names([named[token] for token in order], say("others"))
    own = turn <= len(begun)
    names[few.shown.index(place)] += f" {OWN if own else DRAWN}"
    vocab = len(order)
    nucleus = max(1, int((now.steps[3] > 0).sum())) if how.top_p < 1 else vocab
    cut = Cut(how.temperature, min(how.top_k, vocab), nucleus)
    values = {"temperature": f"{how.temperature:g}", "k": cut.top_k, "p": f"{how.top_p:g}"}
    rows = [say(f"row.{name}", **values) for name in STEPS]
    labels = {name: say(f"label.{name}") for name in LABELS}
    labels["draws"] = say("label.draws", turn=turn, count=min(SHOWN, vocab), of=vocab)
    figure = Figure(
        "draw",
        draws_board(now.logits[order], now.steps[:, order], few, cut, (rows, names), labels),
        say("alt", turn=turn, token=named[now.written]),
        at_hand.provenance("generator.logits", vocab),
        numbers=now.steps,
        columns=named,
        code=[sampling_steps, sampled_turns, Outputs],
        program=draws_program(at_hand, src, how, begun, turn),
    )
    label = show(chapter, figure).label
    if label is None or label.axis != "column" or label.index >= len(few.shown):
        return None
    return int(order[few.shown[label.index]])


def _written(chapter: Chapter, draws: list[Draw], turn: int, begun: int) -> str:
    """The whole output, with the token of this turn marked."""
    names = map(escape, chapter.at_hand.target.labels(draws[-1].output))
    boxes = []
    for at, name in enumerate(names):
        own, rim = 0 < at <= begun, " chosen" if at == turn else ""
        boxes.append(f'<span class="token{" own" if own else ""}{rim}">{f"{OWN} " if own else ""}{name}</span>')
    return row("dec", chapter.say("output"), boxes)


def _said(chapter: Chapter, src: Tokens, how: How, begun: Tokens, draws: list[Draw], turn: int) -> None:
    """How the number draws the token, what is special about these settings, and what the output has become."""
    at_hand, say, now = chapter.at_hand, chapter.say, draws[turn - 1]
    named, vocab = at_hand.target.every, len(at_hand.target)
    order = np.argsort(-now.steps[3], kind="stable")
    ends = now.steps[3][order].cumsum()
    place = int(np.flatnonzero(order == now.choice)[0])
    values = {"token": named[now.choice], "number": f"{now.number:.3f}", "turn": turn}
    values |= {"start": number(float(ends[place - 1]) if place else 0.0, 3), "end": number(float(ends[place]), 3)}
    lines = [say("forced" if turn <= len(begun) else "drawn", **values)]
    if how.temperature == 0:
        lines.append(say("cold"))
    if how.top_p == 0:
        lines.append(say("no_nucleus"))
    if how.top_k > vocab:
        lines.append(say("all_kept", k=how.top_k, vocab=vocab))
    if now.steps[0].max() > SURE:
        lines.append(say("sure", token=named[int(now.steps[0].argmax())], share=percent(float(now.steps[0].max()))))
    st.markdown(" ".join(lines))
    alone, output = greedy_of(at_hand, src, begun), draws[-1].output
    key = "result_same" if output == alone else "result"
    st.markdown(say(key, output=reads(at_hand, output), greedy=reads(at_hand, alone), seed=how.seed))
    chapter.write("see", "pick")
