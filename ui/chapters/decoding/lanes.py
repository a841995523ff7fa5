"""Two lanes: the right answer read at once, and what the model writes by itself; one other token parts them."""

import numpy as np
import streamlit as st

from transformer_core import PAD, attention_steps, greedy_steps, subsequent_mask
from transformer_core.decoding.loop import Outputs
from ui.canvas.matrix import LabelClick
from ui.chapters.decoding.lane_values import Lanes, gap, lanes_of, lanes_snippet
from ui.chapters.decoding.questions import PARTING
from ui.chapters.decoding.values import Tokens, turns_of
from ui.chapters.decoding.written import WRONG, tokens_row
from ui.chapters.shared.begun import OWN
from ui.figures.few import Few
from ui.figures.figure import Figure
from ui.figures.lanes import Lane, lanes_board
from ui.figures.number import number, percent
from ui.frame.chapter import Chapter, draw_again
from ui.page import controls
from ui.page.predict import predict
from ui.page.typed import typed
from ui.showing.show import show

WIDEST = 20  # tokens of a vocabulary that are all drawn
OFFERED = 4  # of a longer one: the likeliest where another token is to be taken, beside those that are written
PARTED = 1e-4  # a probability or a weight that has moved less than this has only been rounded


def lanes(chapter: Chapter) -> None:
    src, settings, at_hand, say = typed(chapter, "src"), chapter.settings, chapter.at_hand, chapter.say
    if len(src) < 2:
        st.info(say("unread"))
        return
    start = min(settings.start, len(at_hand.target) - 1)
    last, names = len(turns_of(at_hand, src, start)), [say("lanes.nothing"), *at_hand.target.names[1:]]
    slip, token = min(settings.slip, last), min(settings.slip_token, len(names) - 1)
    choice = st.columns(2, gap="medium")  # filled once it is known whether a name has been pressed
    found = lanes_of(at_hand, src, start, slip, token)
    own = {slip} if token else set()
    st.html(_rows(chapter, found, own))
    if not found.wanted:
        chapter.write("lanes.no_answer")
    told = predict(chapter, PARTING)
    picked, few = _probabilities(chapter, src, found, own, slip)
    if picked is not None:
        _take(chapter, picked, few)
    with choice[0]:
        controls.slider(chapter, "slip", 1, last)
    with choice[1]:
        controls.named(chapter, "slip_token", names)
    chapter.write("lanes.same", gap=number(gap(at_hand, src, found.alone), 2))
    _parted(chapter, found, slip if token else None)
    _looks(chapter, src, found, own, slip)
    if told:
        chapter.write("lanes.why")


def _take(chapter: Chapter, picked: LabelClick, few: Few) -> None:
    """The turn or the token whose name has been pressed."""
    if picked.axis == "row":
        chapter.put("slip", picked.index + 1)
    elif picked.index < len(few.shown):
        chapter.put("slip_token", few.shown[picked.index])
    draw_again()


def _rows(chapter: Chapter, found: Lanes, own: set[int]) -> str:
    """What each lane writes: the upper one after the right tokens, the lower one after its own."""
    forced = [found.right[0], *found.forced.probabilities.argmax(-1).tolist()]
    upper = tokens_row(chapter, chapter.say("lanes.parallel"), forced, (), found.wanted)
    return upper + tokens_row(chapter, chapter.say("lanes.alone"), found.written, own, found.wanted)


def _turns(chapter: Chapter, found: Lanes, own: set[int]) -> tuple[list[str], list[str]]:
    """`3 → 4` for each turn of both lanes; what is not the answer's is marked, and what the reader has put."""
    named = chapter.at_hand.target.every

    def turn(t: int, token: int, *, put: bool) -> str:
        mark = OWN if put else WRONG if found.wanted[t : t + 1] not in ((), (token,)) else ""
        return f"{t} → {named[token]} {mark}".rstrip()

    forced = found.forced.probabilities.argmax(-1).tolist()
    turns = range(1, found.turns + 1)
    upper = [turn(t, forced[t - 1], put=False) for t in turns]
    return upper, [turn(t, found.written[t], put=t in own) for t in turns]


def _probabilities(
    chapter: Chapter, src: Tokens, found: Lanes, own: set[int], slip: int
) -> tuple[LabelClick | None, Few]:
    """Draws both boards and their difference; returns the name that the reader has pressed, and the columns."""
    at_hand, say, n = chapter.at_hand, chapter.say, found.turns
    upper, lower = _turns(chapter, found, own)
    alone = found.alone[:n]
    shares = np.stack([turn.probabilities for turn in alone])
    both = (
        Lane(found.forced.logits[:n], found.forced.probabilities[:n], upper),
        Lane(np.stack([turn.logits for turn in alone]), shares, lower),
    )
    size = shares.shape[1]
    if size > WIDEST:
        offered = np.argsort(-both[0].shares[min(slip, n) - 1], kind="stable")[:OFFERED].tolist()
        few = Few(size, tuple(dict.fromkeys([*found.right[1 : n + 1], *found.written[1 : n + 1], *offered])))
    else:
        few = Few.every(size)
    labels = {key: say(f"label.{key}") for key in ("parallel", "alone", "difference", "turn", "only")} | {
        "column": say("label.token")
    }
    columns = few.names(at_hand.target.every, say("others"))
    board = lanes_board(both, few, columns, labels, cell="lanes_cell", symbol="p", meaning="decoder", pressed=True)
    places = [[each] for each in few.shown] + [list(few.others)] * bool(few.others)
    figure = Figure(
        "lanes",
        board,
        say("lanes.alt"),
        at_hand.provenance("generator.log_probs", *shares.shape),
        columns=columns,
        code=[greedy_steps, Outputs, subsequent_mask],
        program=(
            f"{lanes_snippet(at_hand, src, found)}parallel = trace['generator.log_probs'][0, :{n}].exp()\n"
            "alone = torch.cat([step.log_probs for step in steps]).exp()\n"
            f"columns = {places}\n"
            "shown = torch.stack([(alone - parallel)[:, places].sum(1) for places in columns], 1)\nprint(shown)\n"
        ),
    )
    return show(chapter, figure).label, few


def _parted(chapter: Chapter, found: Lanes, slip: int | None) -> None:
    """Where the lanes differ: by the lower one's own mistakes, and after the reader's token, in numbers."""
    n, named = found.turns, chapter.at_hand.target.every
    both = min(len(found.written), len(found.right))
    mistakes = [t for t in range(both) if found.written[t] != found.right[t]]
    if mistakes and mistakes[0] < (slip or both):
        turn = mistakes[0]
        chapter.write("lanes.own", turn=turn, ours=named[found.written[turn]], theirs=named[found.right[turn]])
    if slip is None:
        return
    if found.alone[slip - 1].choice == found.written[slip]:
        chapter.write("lanes.anyway", slip=slip, token=named[found.written[slip]])
        return
    alone = np.stack([turn.probabilities for turn in found.alone[:n]])
    moved = np.abs(alone - found.forced.probabilities[:n]).max(1)  # turn by turn
    before = float(moved[:slip].max())
    chapter.write("lanes.before", slip=slip, before=number(before, 2))
    if n > slip:
        first = slip
        token = int(np.abs(alone[first] - found.forced.probabilities[first]).argmax())
        chapter.write(
            "lanes.first",
            turn=first + 1,
            token=named[token],
            parallel=percent(float(found.forced.probabilities[first, token])),
            alone=percent(float(alone[first, token])),
        )
    ours, theirs = found.written[slip + 1 :], found.right[slip + 1 :]
    of = max(len(ours), len(theirs))
    wrong = of - sum(a == b for a, b in zip(ours, theirs))
    if of:
        chapter.write("lanes.wrong" if wrong else "lanes.none", wrong=wrong, of=of)


def _looks(chapter: Chapter, src: Tokens, found: Lanes, own: set[int], slip: int) -> None:
    """The cross-attention of one head in both lanes, and the place that it has moved most."""
    at_hand, say, n = chapter.at_hand, chapter.say, found.turns
    chapter.write("lanes.looks")
    layer = min(chapter.settings.layer, at_hand.config.N - 1)
    head = controls.number_of(chapter, "lane_head", at_hand.config.h)
    upper, lower = _turns(chapter, found, own)
    alone = found.alone[:n]
    scores, weights = (np.stack([getattr(turn, of)[layer, head] for turn in alone]) for of in ("masked", "cross"))
    both = (
        Lane(found.forced.masked[layer, head, :n], found.forced.cross[layer, head, :n], upper),
        Lane(scores, weights, lower),
    )
    labels = {key: say(f"label.{key}_looks", layer=layer) for key in ("parallel", "alone")}
    labels |= {
        "difference": say("label.difference"),
        "turn": say("label.turn"),
        "only": say("label.only"),
        "column": say("label.source"),
    }
    source = at_hand.source.labels(src)
    padded = [place for place, token in enumerate(src) if token == PAD]
    board = lanes_board(
        both, Few.every(len(src)), source, labels, cell="looks_cell", symbol="α", meaning="encoder", padded=padded
    )
    path = f"decoder.layers.{layer}.src_attn.weights"
    figure = Figure(
        "looks",
        board,
        say("lanes.looks_alt"),
        at_hand.provenance(path, n, len(src), head=head),
        columns=source,
        code=[attention_steps],
        program=(
            f"{lanes_snippet(at_hand, src, found)}parallel = trace['{path}'][0, {head}, :{n}]\n"
            f"alone = torch.stack([step.trace['{path}'][0, {head}, -1] for step in steps])\n"
            "shown = alone - parallel\nprint(shown)\n"
        ),
    )
    show(chapter, figure)
    change = both[1].shares - both[0].shares
    turn, place = np.unravel_index(np.abs(change).argmax(), change.shape)
    if abs(change[turn, place]) < PARTED:
        chapter.write("lanes.looks_same")
        return
    chapter.write(
        "lanes.looks_moved",
        turn=int(turn) + 1,
        source=source[int(place)],
        parallel=number(float(both[0].shares[turn, place]), 3),
        alone=number(float(both[1].shares[turn, place]), 3),
    )
