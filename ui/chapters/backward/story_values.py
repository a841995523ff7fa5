"""What the story of the backward pass is made of: one wrong word's gradient, as far as the tables."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from transformer_core import EncoderDecoder
from transformer_core.adamw import adamw_steps
from transformer_core.backward import covers
from transformer_core.experiments.updates import RATE
from ui.chapters.backward.stops import route
from ui.chapters.backward.values import back_values, no_numbers
from ui.chapters.shared.word_choice import early, given_right
from ui.model import answer, made
from ui.sections import AnyChapter, Choice
from ui.sections.inquiry import Inquiry, Version, one_of, ranked, short
from ui.sections.sequence_fields import with_answer

Tokens = tuple[int, ...]
TOKENS = 40  # of a sentence that are read, at most


@dataclass(frozen=True)
class ResidualSum:
    """One of the model's residual sums, at the place that gets most: lengths of the gradient at it and at its first
    part, and of the two parts."""

    path: str
    gradient: float
    past: float
    x: float
    added: float


class BackwardStoryValues:
    """Of the word at place `at` of the answer `target`; `lent` where the reader's own sentence has no answer."""

    def __init__(self, chapter: AnyChapter, src: Tokens, target: Tokens, at: int, lent: dict[str, str]) -> None:
        self.say, at_hand, self.src, self.lent = chapter.say, chapter.at_hand, src, lent
        model, right = at_hand.load(), target[at + 1]
        found = back_values(at_hand, src, at)
        self.sources, self.words = at_hand.source.labels(src), at_hand.target.every
        self.right = self.words[right]
        self.p = float(found["generator.log_probs"][0, at, right].exp())
        self.logits = found["∂generator.logits"][0, at].numpy()  # (V,) p − t
        self.decoded = found["∂decoder.output"][0, at].numpy()  # (d_model,) back through the generator's matrix
        block = f"decoder.layers.{len(list(model.decoder.layers)) - 1}.sublayer.2"
        # (d_model,) past the last network of the decoder, and through it.
        self.past, self.through = (found[f"∂{block}.{part}"][0, at].numpy() for part in ("skip", "norm.input"))
        self.memory = found["∂encoder.output"][0].norm(dim=-1).numpy()  # (S,) lengths of what reaches each source word
        table = found["∂src_embed.0.lut.weight"]
        self.rows, self.vocab = int((table.abs().sum(-1) > 0).sum()), len(table)  # rows that get something, and all
        self.origin = f"position {at} · {'step 0 · ' if at_hand.step is not None else ''}seed {at_hand.seed}"
        self.places = {stop.path: n for n, stop in enumerate(route(model))}
        self.sums = tuple(_sum(found, path) for path in _sums(found) if path != block)
        stepped = made(
            at_hand, ("first step", src, at), lambda model: _stepped(early(at_hand, model), src, target, at, found)
        )
        # Before a step of all weights, and what that changes: foretold, measured.
        self.loss = float(stepped[0]), float(stepped[1]), float(stepped[2])

    def take(self, path: str) -> dict[str, str]:
        return {"place": str(self.places.get(path, 0))} | self.lent


def values(chapter: AnyChapter) -> BackwardStoryValues | None:
    at_hand = chapter.at_hand
    if not covers(at_hand.load()):
        return None
    src, lent = with_answer(chapter, TOKENS)
    target = answer(at_hand, src)
    at = len(target) - 3
    return BackwardStoryValues(chapter, src, target, at, lent) if at >= 0 and not no_numbers(at_hand, src, at) else None


def _sums(found: Mapping[str, Tensor]) -> list[str]:
    return [path.removesuffix(".sum") for path in found if path.endswith(".sum") and not path.startswith("∂")]


def _sum(found: Mapping[str, Tensor], path: str) -> ResidualSum:
    lengths = found[f"∂{path}.sum"][0].norm(dim=-1)
    at = int(lengths.argmax())
    past, x, added = (
        found[f"{name}"][0, at].norm().item() for name in (f"∂{path}.skip", f"{path}.skip", f"{path}.branch")
    )
    return ResidualSum(path, float(lengths[at]), past, x, added)


def _stepped(model: EncoderDecoder, src: tuple[int, ...], target: tuple[int, ...], at: int, found: Any) -> Tensor:
    """AdamW's first step of every weight: (3,) the loss, and its change, foretold and measured. Changes the model."""

    def loss() -> float:
        with torch.no_grad():
            return -float(given_right(model, src, target[:-1])[at, target[at + 1]])

    before, foretold, nothing = loss(), 0.0, torch.zeros(())
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            gradient = found[f"∂{name}"]
            step = adamw_steps(parameter, gradient, nothing, nothing, 1, rate=RATE).step
            foretold += float((gradient * step).sum())
            parameter.add_(step)
    return torch.tensor([before, foretold, loss() - before])


# What the story of the backward pass asks: how a sum hands on its gradient; and the same of another sum.

SUM = Choice("story_sum", ("whole", "half", "size"), right="whole")


def at_another(v: BackwardStoryValues, seed: int) -> Version | None:
    return one_of(seed, v.sums, _of)


def _of(one: ResidualSum) -> Version | None:
    whole = one.x + one.added
    if not (one.gradient > 0 and whole > 0):
        return None
    labels = ranked({"whole": one.past, "half": one.gradient / 2, "size": one.gradient * one.x / whole})
    said = {"path": one.path, "gradient": short(one.gradient), "x": short(one.x), "added": short(one.added)}
    return Version("whole", said | {"past": short(one.past)}, labels) if labels else None


HANDED_ON = Inquiry(SUM, ("copy", "slope", "learned"), "slope", at_another)
