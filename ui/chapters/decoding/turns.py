"""One turn of the loop: what the decoder has written, what it looks at, and what it chooses."""

from collections.abc import Collection, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
import streamlit as st

from transformer_core import PAD, greedy_steps
from transformer_core.decoding.loop import Outputs
from ui.chapters.decoding.figures.turns import Chances, every_token, likeliest_tokens, turn_board
from ui.chapters.decoding.values import Decoded, turns_of, turns_snippet, wanted_of
from ui.chapters.shared.forced_prefix import OWN, ForcedPrefix, Tokens, at_a_press, by_turns, prefix_field, prefix_of
from ui.chapters.shared.look_lines import task_of
from ui.chapters.shared.output import boxes, reads, row
from ui.figures import Figure, percent
from ui.figures.board import Few
from ui.figures.markup import Markup, element, glossed, joined
from ui.sections import AnyChapter, Chapter, Choice, Frame, Section, controls, kept, sequence, show
from ui.settings.fields import CellSetting, cell, whole

WRONG = "✗"  # not the answer's


def written(chapter: AnyChapter, decoded: Decoded) -> Markup:
    """The source, and the output with the token just written. A wrong one is struck, with the answer's beside it."""
    say, own = chapter.say, range(1, len(decoded.prefix) + 1)
    source = boxes(chapter.at_hand.source.labels(decoded.src), chapter.glosses)
    output = tokens_row(chapter, say("output"), decoded.now.output, own, decoded.wanted, chosen=decoded.turn)
    return joined([row("enc", say("source"), source), output])


def tokens_row(
    chapter: AnyChapter, name: str, output: Sequence[int], own: Collection[int], wanted: Tokens, chosen: int = -1
) -> Markup:
    say, at_hand = chapter.say, chapter.at_hand
    names, right = (at_hand.target.labels(tokens) for tokens in (output, wanted))
    tokens, glosses = [], chapter.glosses
    for at, token in enumerate(names):
        label = glossed(token, glosses)
        kind, inside, hint = "", [label], ""
        if at in own:
            kind, inside, hint = "own", [Markup(f"{OWN} "), label], say("own")
        elif at >= len(wanted) > 0:
            kind, inside, hint = "wrong", [element("s", f"{WRONG} ", label)], say("past")
        elif wanted and output[at] == wanted[at]:
            kind = "right"
        elif wanted:
            gold = element("span", glossed(right[at], glosses), class_="right")
            kind, inside, hint = "wrong", [element("s", f"{WRONG} ", label), Markup(" "), gold], say("mistake")
        rim = " chosen" if at == chosen else ""
        tokens.append(element("span", *inside, class_=f"token {kind}{rim}", title=hint or None))
    return row("dec", name, tokens)


def turn_name(chapter: AnyChapter, turn: int, token: int, wanted: Tokens, *, own: bool) -> str:
    """`3 → 4`; a token that is not the answer's is marked, and one that the reader has put."""
    mark = OWN if own else WRONG if wanted[turn : turn + 1] not in ((), (token,)) else ""
    return f"{turn} → {chapter.at_hand.target.every[token]} {mark}".rstrip()


def finished(chapter: AnyChapter, decoded: Decoded, alone: list[int]) -> None:
    """What the whole output says, beside the answer if there is one, or else beside what the model says `alone`."""
    say, at_hand, output, wanted = chapter.say, chapter.at_hand, decoded.turns[-1].output, decoded.wanted
    values: dict[str, object] = {"output": reads(at_hand, output)}
    if wanted:
        same = sum(ours == theirs for ours, theirs in zip(output[1:], wanted[1:]))
        values |= {"same": same, "of": len(wanted) - 1, "answer": reads(at_hand, list(wanted))}
        key = "result" if at_hand.words is None else "result_right" if output == list(wanted) else "result_wrong"
    elif decoded.prefix:
        values |= {"prefix": reads(at_hand, decoded.prefix), "alone": reads(at_hand, alone)}
        key = "result_forced"
    else:
        key = "result_only" if task_of(at_hand) is None else "result_unknown"
    chapter.write(key, **values)
    if at_hand.target.end is not None and output[-1] != at_hand.target.end:
        st.markdown(say("endless", room=len(output)))


WIDEST = 20  # tokens of a vocabulary whose probabilities are all drawn, turn by turn
SHOWN = 8  # of a longer one: the likeliest of the present turn
LABELS = ("mask", "cross", "probabilities", "query", "key", "heads", "source", "token", "turn")

ASK_FIRST = Choice("ask_first", ("start", "source", "answer"), right="source")


class Loop(ForcedPrefix):
    start: int = whole(1, 0, 999)  # the token that the output begins with
    layer: int = whole(0, 0, 5)


class Turns(Loop):
    turn: int = whole(4, 1, 63)  # which token is being decided, counted from 1
    cell: CellSetting = cell()


def start_of(chapter: AnyChapter) -> int:
    return min(chapter.of(Loop).settings.start, len(chapter.at_hand.target) - 1)


def decoded_of(chapter: AnyChapter, src: Tokens) -> Decoded:
    at_hand, start, prefix = chapter.at_hand, start_of(chapter), prefix_of(chapter, src)
    turns = turns_of(at_hand, src, start, prefix)
    turn = min(chapter.of(Turns).settings.turn, len(turns))
    return Decoded(src, start, prefix, turns, turn, wanted_of(at_hand, src, start, prefix))


STEP = by_turns(lambda chapter, src: decoded_of(chapter, src).turns)


@Section("turns", settings=Turns, reads=(Frame,), types=("src",), look="lead", step=STEP, lesson=(ASK_FIRST,))
def turns(chapter: Chapter[Turns]) -> None:
    at_hand, say = chapter.at_hand, chapter.say
    row, above = st.container(), chapter.figure_first()
    left, beside, *right = st.columns([4, 3, 3] if at_hand.config.N > 1 else [4, 3])
    with left:
        src = sequence(chapter, "src")
    if len(src) < 2:
        st.warning(say("too_short"))
        return
    with right[0] if right else left:
        layer = controls.number_of(chapter, "layer", at_hand.config.N)
    with beside:
        prefix_field(chapter, src)
        with st.popover(say("more"), width="stretch"):
            start = controls.named(chapter, "start", at_hand.target.names)
    with row:
        controls.slider(chapter, "turn", 1, len(decoded_of(chapter, src).turns))
    decoded = decoded_of(chapter, src)
    with above.there:
        st.html(written(chapter, decoded))
    if at_hand.step and len(src) > at_hand.config.length:
        st.info(say("longer", length=len(src), trained=at_hand.config.length))
    alone = turns_of(at_hand, src, start)[-1].output
    _figure(above, decoded, layer, alone)
    chapter.write("pick")
    if decoded.own:
        now = decoded.now
        share = percent(now.probabilities[now.written])
        chapter.write("chosen", turn=decoded.turn, token=at_hand.target.every[now.written], share=share)
    finished(chapter, decoded, alone)


@Section("reading", look="open")
def reading(chapter: AnyChapter) -> None:
    own = ("why", "begin") if chapter.at_hand.words is None else ("why_words", "begin_words")
    chapter.write("see", "name", "formula", *own)


class OfTurn(NamedTuple):
    figure: Figure
    shown: tuple[int, ...]  # the tokens whose probabilities are drawn


def _figure(chapter: Chapter[Turns], decoded: Decoded, layer: int, alone: list[int]) -> None:
    about = decoded.src, decoded.start, decoded.prefix, decoded.turn, layer
    found = kept(chapter, partial(_of_turn, chapter, decoded, layer), *about)
    show(chapter, found.figure, on_label=at_a_press(chapter, found.shown, decoded.now.given[1:], lambda: alone[1:]))


def _of_turn(chapter: Chapter[Turns], decoded: Decoded, layer: int) -> OfTurn:
    at_hand, say, now, turn = chapter.at_hand, chapter.say, decoded.now, decoded.turn
    named = at_hand.target.every
    labels = {name: say(f"label.{name}", layer=layer, turn=turn) for name in LABELS}
    labels |= {f"head {head}": chapter.shell("provenance.head", number=head) for head in range(len(now.cross[layer]))}
    seen = f"decoder.layers.{layer}.src_attn.weights[:, -1] · {' × '.join(map(str, now.cross[layer].shape))}"
    shares = np.stack([each.probabilities for each in decoded.so_far])
    wide = len(named) > WIDEST
    few = Few.largest(now.probabilities, SHOWN, [now.written]) if wide else Few.every(len(named))
    figure = Figure(
        "turn",
        turn_board(
            now.mask,
            (now.masked[layer], now.cross[layer]),
            _likeliest(chapter, decoded, few, labels) if wide else _every(chapter, decoded, shares, labels),
            at_hand.target.labels(now.given),
            at_hand.source.labels(decoded.src),
            [j for j, token in enumerate(decoded.src) if token == PAD],
            labels,
        ),
        f"{seen} · {at_hand.provenance('generator.log_probs', *shares.shape)}",
        numbers=shares,
        columns=named,
        code=[greedy_steps, Outputs],
        program=turns_snippet(at_hand, decoded),
        alt=say("alt_own" if decoded.own else "alt", turn=turn, token=named[now.written]),
    )
    return OfTurn(figure, few.shown)


def _every(chapter: AnyChapter, decoded: Decoded, shares: np.ndarray, labels: dict[str, str]) -> Chances:
    rows = [
        turn_name(chapter, turn, each.written, decoded.wanted, own=turn <= len(decoded.prefix))
        for turn, each in enumerate(decoded.so_far, 1)
    ]
    logits = np.stack([each.logits for each in decoded.so_far])
    return every_token(logits, shares, rows, chapter.at_hand.target.every, labels)


def _likeliest(chapter: AnyChapter, decoded: Decoded, few: Few, labels: dict[str, str]) -> Chances:
    """The likeliest tokens of the present turn, each by its name; one that the reader has put there is marked."""
    now, say = decoded.now, chapter.say
    names = few.names(chapter.at_hand.target.every, say("others"))
    if decoded.own:
        names[few.shown.index(now.written)] += f" {OWN}"
    labels["likeliest"] = say("label.likeliest", turn=decoded.turn, count=SHOWN, of=few.size)
    return likeliest_tokens(now.logits, now.probabilities, few, names, labels)
