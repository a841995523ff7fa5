"""What one turn of greedy decoding shows, kept for every model and source that was decoded before."""

from functools import partial
from typing import NamedTuple

import numpy as np
import torch

from transformer_core import PAD, EncoderDecoder, greedy_steps, padding_mask
from ui.chapters.shared.forced_prefix import Tokens
from ui.chapters.shared.model_program import decoding_snippet
from ui.model import ModelAtHand, made


class GreedyTurn(NamedTuple):
    """One turn of the loop, for a single source."""

    given: list[int]  # the t tokens that the decoder reads
    choice: int  # the likeliest token
    written: int  # the token that comes next: the choice, unless the reader has put another there
    mask: np.ndarray  # (t, t) bool
    masked: np.ndarray  # (N, h, S) scores of the last position against the source
    cross: np.ndarray  # (N, h, S) their softmax
    logits: np.ndarray  # (vocab,)
    probabilities: np.ndarray  # (vocab,)

    @property
    def output(self) -> list[int]:
        """All that is written after this turn, the start symbol first."""
        return [*self.given, self.written]


class Decoded(NamedTuple):
    """The turns of an output that the reader may have begun, up to the one that is looked at."""

    src: Tokens
    start: int
    prefix: Tokens
    turns: list[GreedyTurn]
    turn: int
    wanted: Tokens  # the right output; () if there is none, or the reader has begun another

    @property
    def now(self) -> GreedyTurn:
        return self.turns[self.turn - 1]

    @property
    def own(self) -> bool:
        """Whether the token of this turn is the reader's."""
        return self.turn <= len(self.prefix)

    @property
    def so_far(self) -> list[GreedyTurn]:
        return self.turns[: self.turn]


def wanted_of(at_hand: ModelAtHand, src: Tokens, start: int, prefix: Tokens) -> Tokens:
    """The right output, begun as this one is; () if there is none, or the reader has begun another."""
    answer = at_hand.config.answer(src)
    if answer is None or tuple(answer[1 : len(prefix) + 1]) != prefix:
        return ()
    return (start, *answer[1:])


def turns_of(at_hand: ModelAtHand, src: Tokens, start: int, prefix: Tokens = ()) -> list[GreedyTurn]:
    """All turns from the start symbol to the end symbol, or until there is no room for more.

    The tokens `prefix` are written first; from there the model goes on.
    """
    return made(at_hand, ("decoded", src, start, prefix), partial(_decoded, at_hand, src, start, prefix))


def _decoded(at_hand: ModelAtHand, src: Tokens, start: int, prefix: Tokens, model: EncoderDecoder) -> list[GreedyTurn]:
    sources = torch.tensor([src])
    turns: list[GreedyTurn] = []
    for step in greedy_steps(model, sources, padding_mask(sources, PAD), at_hand.most(src), start, prefix=prefix):
        paths = [f"decoder.layers.{n}.src_attn" for n in range(len(model.decoder.layers))]
        masked, cross = (
            np.stack([step.trace[f"{path}.{tap}"][0, :, -1].numpy() for path in paths]) for tap in ("masked", "weights")
        )
        logits, probabilities = step.trace["generator.logits"][0].numpy(), step.log_probs[0].exp().numpy()
        choice, at = int(step.choice), len(turns)
        written = prefix[at] if at < len(prefix) else choice
        mask = step.tgt_mask[0].numpy()
        turns.append(GreedyTurn(step.ys[0].tolist(), choice, written, mask, masked, cross, logits, probabilities))
        if written == at_hand.target.end:
            break
    return turns


PROBABILITIES = "torch.cat([turn.log_probs for turn in turns]).exp()"


def turns_snippet(at_hand: ModelAtHand, decoded: Decoded, shown: str = PROBABILITIES) -> str:
    """`shown` is made of the `turns` up to the present one."""
    start = f"start_symbol={decoded.start}"
    found = decoding_snippet(at_hand, "greedy_steps", decoded.src, decoded.prefix, start)
    return f"{found}turns = list(found)[:{decoded.turn}]\nshown = {shown}\nprint(shown)\n"
