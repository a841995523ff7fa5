"""The two lanes: one pass over the right answer, and the loop that reads what it has written itself."""

from functools import partial
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from transformer_core import PAD, EncoderDecoder, padding_mask, record, subsequent_mask
from ui.chapters.decoding.values import GreedyTurn, turns_of
from ui.chapters.shared.forced_prefix import Tokens
from ui.chapters.shared.model_program import decoding_snippet
from ui.model import ModelAtHand, answer, measured


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
