"""What the story of the backward pass is made of: one wrong word's gradient, as far as the tables."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
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
from ui.text import Words

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


@dataclass(frozen=True)
class BackwardStoryValues:
    say: Words
    src: tuple[int, ...]
    sources: list[str]
    words: list[str]  # of the answers' vocabulary
    right: str
    p: float
    logits: np.ndarray  # (V,) p − t
    decoded: np.ndarray  # (d_model,) what comes back through the generator's matrix
    past: np.ndarray  # (d_model,) past the last network of the decoder, and
    through: np.ndarray  # through it
    memory: np.ndarray  # (S,) lengths of what reaches each source word
    rows: int  # of the source's table that get something
    vocab: int
    origin: str
    places: dict[str, int]  # of stops, by their paths
    sums: tuple[ResidualSum, ...]  # all but that of the last network
    lent: dict[str, str]  # where the reader's own sentence has no answer
    loss: tuple[float, float, float]  # before a step of all weights, and what that changes: foretold, measured

    def take(self, path: str) -> dict[str, str]:
        return {"place": str(self.places.get(path, 0))} | self.lent


def values(chapter: AnyChapter) -> BackwardStoryValues | None:
    at_hand = chapter.at_hand
    if not covers(at_hand.load()):
        return None
    src, lent = with_answer(chapter, TOKENS)
    target = answer(at_hand, src)
    if len(target) < 3:
        return None
    at = len(target) - 3
    if no_numbers(at_hand, src, at):
        return None
    found = back_values(at_hand, src, at)
    block = f"decoder.layers.{len(list(at_hand.load().decoder.layers)) - 1}.sublayer.2"
    stepped = made(
        at_hand, ("first step", src, at), lambda model: _stepped(early(at_hand, model), src, target, at, found)
    )
    table = found["∂src_embed.0.lut.weight"]
    lengths = found["∂encoder.output"][0].norm(dim=-1).numpy()
    return BackwardStoryValues(
        chapter.say,
        src,
        at_hand.source.labels(src),
        at_hand.target.every,
        at_hand.target.every[target[at + 1]],
        float(found["generator.log_probs"][0, at, target[at + 1]].exp()),
        found["∂generator.logits"][0, at].numpy(),
        found["∂decoder.output"][0, at].numpy(),
        found[f"∂{block}.skip"][0, at].numpy(),
        found[f"∂{block}.norm.input"][0, at].numpy(),
        lengths,
        int((table.abs().sum(-1) > 0).sum()),
        len(table),
        f"position {at} · {'step 0 · ' if at_hand.step is not None else ''}seed {at_hand.seed}",
        {stop.path: n for n, stop in enumerate(route(at_hand.load()))},
        tuple(_sum(found, path) for path in _sums(found) if path != block),
        lent,
        (float(stepped[0]), float(stepped[1]), float(stepped[2])),
    )


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
