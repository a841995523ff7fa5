"""What one turn of greedy decoding shows, kept for every model and source that was decoded before."""

from typing import NamedTuple

import numpy as np
import torch

from transformer_core import PAD, EncoderDecoder, greedy_steps, padding_mask
from ui.chapters.shared.model_program import model_snippet
from ui.server.kept import kept
from ui.session import ModelAtHand


class Turn(NamedTuple):
    """One turn of the loop, for a single source."""

    given: list[int]  # the t tokens that the decoder reads
    choice: int
    mask: np.ndarray  # (t, t) bool
    masked: np.ndarray  # (N, h, S) scores of the last position against the source
    cross: np.ndarray  # (N, h, S) their softmax
    logits: np.ndarray  # (vocab,)
    probabilities: np.ndarray  # (vocab,)


def turns_of(at_hand: ModelAtHand, src: tuple[int, ...], start: int) -> list[Turn]:
    """All turns from the start symbol to the end symbol, or until there is no room for more."""
    model, most, end = at_hand.model, at_hand.most(src), at_hand.target.end
    return kept.made(("decoded", at_hand, src, start), lambda: _decoded(model, src, start, most, end))


def _decoded(model: EncoderDecoder, src: tuple[int, ...], start: int, most: int, end: int | None) -> list[Turn]:
    sources = torch.tensor([src])
    turns = []
    for step in greedy_steps(model, sources, padding_mask(sources, PAD), most, start):
        paths = [f"decoder.layers.{n}.src_attn" for n in range(len(model.decoder.layers))]
        masked, cross = (
            np.stack([step.trace[f"{path}.{tap}"][0, :, -1].numpy() for path in paths]) for tap in ("masked", "weights")
        )
        logits, probabilities = step.trace["generator.logits"][0].numpy(), step.log_probs[0].exp().numpy()
        mask = step.tgt_mask[0].numpy()
        turns.append(Turn(step.ys[0].tolist(), int(step.choice), mask, masked, cross, logits, probabilities))
        if turns[-1].choice == end:
            break
    return turns


def decoding_snippet(at_hand: ModelAtHand, src: tuple[int, ...], start: int, turn: int) -> str:
    return (
        f"{model_snippet(at_hand)}from transformer_core import greedy_steps, padding_mask\n\n"
        f"src = torch.tensor([{list(src)}])\n"
        f"steps = greedy_steps(model, src, padding_mask(src), {at_hand.most(src)}, start_symbol={start})\n"
        f"turns = list(steps)[:{turn}]\n"
        "shown = torch.cat([turn.log_probs for turn in turns]).exp()\n"
        "print(shown)\n"
    )
