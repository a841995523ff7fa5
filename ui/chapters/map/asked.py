"""What the map asks: how often the encoder runs for an output; why; and the same of another sentence."""

from collections import Counter
from collections.abc import Callable
from functools import partial

import torch
from torch import Tensor

from transformer_core import PAD, START, EncoderDecoder, greedy_decode, intervene, padding_mask
from ui.chapters.shared.look_lines import task_of
from ui.inputs.direction import alike
from ui.model import ModelAtHand, made
from ui.sections import AnyChapter, Choice
from ui.sections.inquiry import Inquiry, Version, first_of

ENCODER = Choice("ask_encoder", ("turns", "once", "words"), right="once")
SENTENCES = 12  # unseen ones, those in the language of what is typed
STACKS = "encoder", "decoder"


def of_another(chapter: AnyChapter, seed: int) -> Version | None:
    at_hand = chapter.at_hand
    task = task_of(at_hand)
    if task is None:
        return None
    rows = [tuple(token for token in row if token != PAD) for row in task.held_out(SENTENCES).src.tolist()]
    fits = [src for src in rows if alike(at_hand.words, at_hand.source.text(src), chapter.frame.src)]
    return first_of(seed, fits or rows, lambda src: _of(at_hand, src))


def _of(at_hand: ModelAtHand, src: tuple[int, ...]) -> Version | None:
    encoder, decoder = made(at_hand, ("runs", src), partial(runs, src, at_hand.target.end, at_hand.most(src)))
    if len({1, len(src), decoder}) < 3:
        return None
    text = at_hand.source.text(src) if at_hand.words else " ".join(map(str, src))
    said = {"text": text, "words": len(src), "turns": decoder, "encoder": encoder}
    return Version({1: "once", decoder: "turns", len(src): "words"}[encoder], said)


def runs(src: tuple[int, ...], end: int | None, most: int, model: EncoderDecoder) -> tuple[int, int]:
    """How often each stack runs while the model writes its output: the encoder's and the decoder's, counted."""
    counts: Counter[str] = Counter()

    def counting(stack: str) -> Callable[[Tensor], Tensor]:
        def seen(x: Tensor) -> Tensor:
            counts[stack] += 1
            return x

        return seen

    source = torch.tensor([src])
    with torch.inference_mode(), intervene(model, {f"{stack}.output": counting(stack) for stack in STACKS}):
        greedy_decode(model, source, padding_mask(source, PAD), most, START, end)
    return counts["encoder"], counts["decoder"]


READ_ONCE = Inquiry(ENCODER, ("masked", "same", "trained"), "same", of_another)
