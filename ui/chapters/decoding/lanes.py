"""Two lanes: the right answer read at once, and what the model writes by itself; one other token parts them."""

from functools import partial
from typing import NamedTuple

import numpy as np
import streamlit as st
import torch
from torch import Tensor

from transformer_core import PAD, EncoderDecoder, attention_steps, greedy_steps, padding_mask, record, subsequent_mask
from transformer_core.decoding.loop import Outputs
from ui.chapters.decoding.figures.turns import Lane, lanes_board
from ui.chapters.decoding.turns import WIDEST, Loop, start_of, tokens_row, turn_name
from ui.chapters.decoding.values import GreedyTurn, turns_of
from ui.chapters.shared.forced_prefix import Tokens
from ui.chapters.shared.model_program import decoding_snippet
from ui.components.matrix import LabelClick
from ui.figures import Figure, number, percent
from ui.figures.board import Few
from ui.model import ModelAtHand, answer, measured
from ui.sections import AnyChapter, Chapter, Choice, Frame, Section, controls, predict, show
from ui.sections.sequence_fields import typed
from ui.settings.fields import Settings, whole


class Pass(NamedTuple):
    """The decoder over a whole input of T tokens at once, under the look-ahead mask."""

    logits: np.ndarray  # (T, vocab)
    probabilities: np.ndarray  # (T, vocab)
    masked: np.ndarray  # (N, h, T, S) scores against the source
    cross: np.ndarray  # (N, h, T, S) their softmax


class Lanes(NamedTuple):
    """Turn t of both: what follows the first t tokens of the right answer, and of what has been written."""

    src: Tokens
    right: Tokens  # what the upper lane is fed, the start symbol first: the answer, or else what the model says
    wanted: Tokens  # the answer, where there is one
    forced: Pass
    prefix: Tokens  # what the lower lane is made to write first
    alone: list[GreedyTurn]
    slip: int  # the turn at which it writes the last of these

    @property
    def own(self) -> set[int]:
        """The turns whose token is the reader's."""
        return {self.slip} if self.prefix else set()

    @property
    def written(self) -> Tokens:
        return tuple(self.alone[-1].output)

    @property
    def turns(self) -> int:
        return min(len(self.right) - 1, len(self.alone))

    def of_alone(self, name: str) -> np.ndarray:
        """(turns, …) what the lower lane has under this name."""
        return np.stack([getattr(turn, name) for turn in self.alone[: self.turns]])


def lanes_of(at_hand: ModelAtHand, src: Tokens, start: int, slip: int, token: int) -> Lanes:
    """The lower lane writes `token` at turn `slip`, whatever the model would say; 0 leaves it alone."""
    right = (start, *answer(at_hand, src)[1:])
    wanted = () if at_hand.config.answer(src) is None else right
    own = turns_of(at_hand, src, start)
    slip = min(slip, len(own))
    prefix = (*own[slip - 1].given[1:], token) if token else ()
    alone = turns_of(at_hand, src, start, prefix)
    return Lanes(src, right, wanted, pass_over(at_hand, src, right[:-1]), prefix, alone, slip)


def pass_over(at_hand: ModelAtHand, src: Tokens, tgt: Tokens) -> Pass:
    found = measured(at_hand, ("pass", src, tgt), partial(_pass, src, tgt))
    return Pass(*(found[name].numpy() for name in Pass._fields))


def _pass(src: Tokens, tgt: Tokens, model: EncoderDecoder) -> dict[str, Tensor]:
    sources, targets = torch.tensor([src]), torch.tensor([tgt])
    with torch.inference_mode(), record(model) as trace:
        model.generator(model(sources, targets, padding_mask(sources, PAD), subsequent_mask(len(tgt))))
    layers = range(len(model.decoder.layers))
    masked, cross = (
        torch.stack([trace[f"decoder.layers.{layer}.src_attn.{tap}"][0] for layer in layers])
        for tap in ("masked", "weights")
    )
    values = (trace["generator.logits"][0], trace["generator.log_probs"][0].exp(), masked, cross)
    return dict(zip(Pass._fields, values))


def gap(at_hand: ModelAtHand, lanes: Lanes) -> float:
    """max |Δ logit| between the loop, one token at a time, and one pass over the very tokens that it has written."""
    forced = pass_over(at_hand, lanes.src, tuple(lanes.alone[-1].given))
    return float(np.abs(forced.logits - np.stack([turn.logits for turn in lanes.alone])).max())


def lanes_snippet(at_hand: ModelAtHand, lanes: Lanes) -> str:
    """Both lanes' turns; the rest of the program takes its numbers from `trace` and `steps`."""
    start = f"start_symbol={lanes.right[0]}"
    return (
        f"{decoding_snippet(at_hand, 'greedy_steps', lanes.src, lanes.prefix, start)}"
        f"steps = list(found)[:{lanes.turns}]\n\n"
        "from transformer_core import record, subsequent_mask\n\n"
        f"right = torch.tensor([{list(lanes.right[:-1])}])\n"
        "with torch.no_grad(), record(model) as trace:\n"
        "    model.generator(model(src, right, padding_mask(src), subsequent_mask(right.size(1))))\n"
    )


OFFERED = 4  # of a longer one: the likeliest where another token is to be taken, beside those that are written
PARTED = 1e-4  # a probability or a weight that has moved less than this has only been rounded

PARTING = Choice("parting", ("all", "that", "after"), right="after")


class OfLanes(Settings):
    slip: int = whole(2, 1, 63)  # the turn at which the lower lane writes another token
    slip_token: int = whole(0, 0, 999)  # which; 0, the padding, leaves the lane alone
    lane_head: int = whole(0, 0, 63)


@Section("lanes", settings=OfLanes, cell="lanes_cell looks_cell", reads=(Loop, Frame), text="text", asks=(PARTING,))
def lanes(chapter: Chapter[OfLanes]) -> None:
    src, at_hand, say = typed(chapter, "src"), chapter.at_hand, chapter.say
    if len(src) < 2:
        st.info(say("unread"))
        return
    start = start_of(chapter)
    left, right = st.columns(2, gap="medium")
    with left:
        slip = controls.slider(chapter, "slip", 1, len(turns_of(at_hand, src, start)))
    with right:
        token = controls.named(chapter, "slip_token", [say("lanes.nothing"), *at_hand.target.names[1:]])
    found = lanes_of(at_hand, src, start, slip, token)
    st.html(_rows(chapter, found))
    if not found.wanted:
        chapter.write("lanes.no_answer")
    if not predict(chapter, PARTING):
        return
    _probabilities(chapter, found)
    chapter.write("lanes.same", gap=number(gap(at_hand, found), 2))
    _parted(chapter, found)
    _looks(chapter, found)
    chapter.write("lanes.why")


def _take(chapter: Chapter[OfLanes], few: Few, picked: LabelClick) -> None:
    if picked.axis == "row":
        chapter.put("slip", picked.index + 1)
    elif picked.index < len(few.shown):
        chapter.put("slip_token", few.shown[picked.index])


def _rows(chapter: AnyChapter, found: Lanes) -> str:
    """What each lane writes: the upper one after the right tokens, the lower one after its own."""
    forced = [found.right[0], *found.forced.probabilities.argmax(-1).tolist()]
    upper = tokens_row(chapter, chapter.say("lanes.parallel"), forced, (), found.wanted)
    return upper + tokens_row(chapter, chapter.say("lanes.alone"), found.written, found.own, found.wanted)


def _turns(chapter: AnyChapter, found: Lanes) -> tuple[list[str], list[str]]:
    forced, wanted = found.forced.probabilities.argmax(-1).tolist(), found.wanted
    turns = range(1, found.turns + 1)
    upper = [turn_name(chapter, t, forced[t - 1], wanted, own=False) for t in turns]
    return upper, [turn_name(chapter, t, found.written[t], wanted, own=t in found.own) for t in turns]


def _probabilities(chapter: Chapter[OfLanes], found: Lanes) -> None:
    at_hand, say, n = chapter.at_hand, chapter.say, found.turns
    upper, lower = _turns(chapter, found)
    shares = found.of_alone("probabilities")
    both = (
        Lane(found.forced.logits[:n], found.forced.probabilities[:n], upper),
        Lane(found.of_alone("logits"), shares, lower),
    )
    size = shares.shape[1]
    if size > WIDEST:
        offered = np.argsort(-both[0].shares[min(found.slip, n) - 1], kind="stable")[:OFFERED].tolist()
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
        at_hand.provenance("generator.log_probs", *shares.shape),
        columns=columns,
        code=[greedy_steps, Outputs, subsequent_mask],
        program=(
            f"{lanes_snippet(at_hand, found)}parallel = trace['generator.log_probs'][0, :{n}].exp()\n"
            "alone = torch.cat([step.log_probs for step in steps]).exp()\n"
            f"columns = {places}\n"
            "shown = torch.stack([(alone - parallel)[:, places].sum(1) for places in columns], 1)\nprint(shown)\n"
        ),
    )
    show(chapter, figure, on_label=chapter.then(partial(_take, chapter, few)))


def _parted(chapter: AnyChapter, found: Lanes) -> None:
    n, slip, named = found.turns, found.slip, chapter.at_hand.target.every
    both = min(len(found.written), len(found.right))
    mistakes = [t for t in range(both) if found.written[t] != found.right[t]]
    if mistakes and mistakes[0] < (slip if found.prefix else both):
        turn = mistakes[0]
        chapter.write("lanes.own", turn=turn, ours=named[found.written[turn]], theirs=named[found.right[turn]])
    if not found.prefix:
        return
    if found.alone[slip - 1].choice == found.written[slip]:
        chapter.write("lanes.anyway", slip=slip, token=named[found.written[slip]])
        return
    alone = found.of_alone("probabilities")
    moved = np.abs(alone - found.forced.probabilities[:n]).max(1)  # turn by turn
    before = float(moved[:slip].max())
    chapter.write("lanes.before", slip=slip, before=number(before, 2))
    if n > slip:
        token = int(np.abs(alone[slip] - found.forced.probabilities[slip]).argmax())
        chapter.write(
            "lanes.first",
            turn=slip + 1,
            token=named[token],
            parallel=percent(float(found.forced.probabilities[slip, token])),
            alone=percent(float(alone[slip, token])),
        )
    ours, theirs = found.written[slip + 1 :], found.right[slip + 1 :]
    of = max(len(ours), len(theirs))
    wrong = of - sum(a == b for a, b in zip(ours, theirs))
    if of:
        chapter.write("lanes.wrong" if wrong else "lanes.none", wrong=wrong, of=of)


def _looks(chapter: Chapter[OfLanes], found: Lanes) -> None:
    at_hand, say, n, src = chapter.at_hand, chapter.say, found.turns, found.src
    chapter.write("lanes.looks")
    layer = min(chapter.of(Loop).settings.layer, at_hand.config.N - 1)
    head = controls.number_of(chapter, "lane_head", at_hand.config.h)
    upper, lower = _turns(chapter, found)
    scores, weights = (found.of_alone(name)[:, layer, head] for name in ("masked", "cross"))
    both = (
        Lane(found.forced.masked[layer, head, :n], found.forced.cross[layer, head, :n], upper),
        Lane(scores, weights, lower),
    )
    labels = {key: say(f"label.{key}_looks", layer=layer) for key in ("parallel", "alone")}
    labels |= {key: say(f"label.{key}") for key in ("difference", "turn", "only")} | {"column": say("label.source")}
    source = at_hand.source.labels(src)
    padded = [place for place, token in enumerate(src) if token == PAD]
    board = lanes_board(
        both, Few.every(len(src)), source, labels, cell="looks_cell", symbol="α", meaning="encoder", padded=padded
    )
    path = f"decoder.layers.{layer}.src_attn.weights"
    figure = Figure(
        "looks",
        board,
        at_hand.provenance(path, n, len(src), head=head),
        columns=source,
        code=[attention_steps],
        program=(
            f"{lanes_snippet(at_hand, found)}parallel = trace['{path}'][0, {head}, :{n}]\n"
            f"alone = torch.stack([step.trace['{path}'][0, {head}, -1] for step in steps])\n"
            "shown = alone - parallel\nprint(shown)\n"
        ),
        alt=say("lanes.looks_alt"),
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
