"""One change inside the model at hand, or in what it reads, and what it writes then."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import torch
from torch import Tensor

from transformer_core import (
    PAD,
    START,
    EncoderDecoder,
    Trace,
    greedy_decode,
    intervene,
    padding_mask,
    record,
    target_mask,
)
from transformer_core.experiments import interventions
from transformer_core.experiments.interventions import Changes
from transformer_core.tasks import Task
from transformer_core.training.evaluation import answered
from ui.chapters.heads.alignment.sentences import sentences_of
from ui.chapters.shared.model_program import model_snippet
from ui.model import ModelAtHand, measured

Tokens = tuple[int, ...]


@dataclass(frozen=True)
class WhatIf:
    """A function of `interventions`, with what it is about: the path of an attention or of a connection, head, query,
    row. Without one, the model as it is. `src` is what it reads."""

    src: Tokens
    function: str = ""
    where: str = ""
    head: int | None = None
    query: int | None = None
    row: tuple[float, ...] = ()

    @property
    def told(self) -> list[str | int | list[float]]:
        return [
            *([self.where] if self.where else []),
            *(number for number in (self.head, self.query) if number is not None),
            *([list(self.row)] if self.row else []),
        ]

    @property
    def changes(self) -> Changes:
        return {path: change for make in self.functions for path, change in make(*self.told).items()}

    @property
    def functions(self) -> list[Callable[..., Changes]]:
        return [getattr(interventions, self.function)] if self.function else []

    @property
    def call(self) -> str:
        return f"{self.function}({', '.join(map(repr, self.told))})" if self.function else "{}"


def decoded(at_hand: ModelAtHand, what: WhatIf, given: Tokens) -> dict[str, Tensor]:
    """What the model at hand does with the change.

    It writes `ids` (T + 1,), decoding by itself, with the `weights` of cross-attention (N, h, T, S).
    And after the tokens `given`, the same for every change: the decoder's `states` (G, d_model), `logits` (G, vocab).
    """
    return measured(at_hand, ("what if", what, given), partial(_decoded, at_hand, what, given))


def _decoded(at_hand: ModelAtHand, what: WhatIf, given: Tokens, model: EncoderDecoder) -> dict[str, Tensor]:
    src = torch.tensor([what.src])
    src_mask = padding_mask(src, PAD)

    def after(tokens: Tensor) -> Trace:
        with record(model) as trace:
            model.generator(model(src, tokens, src_mask, target_mask(tokens, PAD)))
        return trace

    with torch.inference_mode(), intervene(model, what.changes):
        ids = greedy_decode(model, src, src_mask, at_hand.most(what.src), START, at_hand.target.end)
        own, same = after(ids[:, :-1]), after(torch.tensor([given]))
    weights = torch.cat([own[f"decoder.layers.{layer}.src_attn.weights"] for layer in range(at_hand.config.N)])
    states, logits = same["decoder.output"][0], same["generator.logits"][0]
    return {"ids": ids[0], "weights": weights, "states": states, "logits": logits}


def exact(at_hand: ModelAtHand, task: Task, what: WhatIf) -> tuple[int, int]:
    """How many of how many held-out sequences of its task the model with the change gives to the last token."""
    count = sentences_of(at_hand, task)
    unread = replace(what, src=())  # the sequence that is typed has no part in it
    found = measured(at_hand, ("exact", unread, count), partial(_exact, task, unread, count))["right"]
    return int(found.sum()), len(found)


def _exact(task: Task, what: WhatIf, count: int, model: EncoderDecoder) -> dict[str, Tensor]:
    with intervene(model, what.changes):
        return {"right": answered(model, task.held_out(count))}


def logits_snippet(at_hand: ModelAtHand, plain: WhatIf, what: WhatIf, given: Sequence[int], said: Sequence[int]) -> str:
    """The logits of the tokens `said`, before and with the change, and their difference: (3, T)."""
    return (
        f"{_intervening(at_hand, what)}"
        f"given, said = torch.tensor([{list(given)}]), torch.tensor({list(said)})\n\n"
        "def logits(src, changes):\n"
        "    with torch.no_grad(), intervene(model.eval(), changes), record(model) as trace:\n"
        "        model.generator(model(src, given, padding_mask(src), target_mask(given)))\n"
        "    return trace['generator.logits'][0].gather(1, said[:, None])[:, 0]\n\n"
        f"before = logits(torch.tensor([{list(plain.src)}]), {{}})\n"
        f"after = logits(torch.tensor([{list(what.src)}]), {what.call})\n"
        "shown = torch.stack([before, after, after - before])\nprint(shown)\n"
    )


def looks_snippet(at_hand: ModelAtHand, what: WhatIf, layer: int, head: int) -> str:
    """The weights of one head of cross-attention with the change, (T, S)."""
    most, end = at_hand.most(what.src), at_hand.target.end
    return (
        f"{_intervening(at_hand, what)}"
        f"src = torch.tensor([{list(what.src)}])\n"
        f"with torch.no_grad(), intervene(model.eval(), {what.call}), record(model) as trace:\n"
        f"    said = greedy_decode(model, src, padding_mask(src), {most}, end={end})[:, :-1]\n"
        "    model(src, said, padding_mask(src), target_mask(said))\n"
        f"shown = trace['decoder.layers.{layer}.src_attn.weights'][0, {head}]\nprint(shown)\n"
    )


def _intervening(at_hand: ModelAtHand, what: WhatIf) -> str:
    of_changes = f"from transformer_core.experiments.interventions import {what.function}\n" if what.function else ""
    return (
        f"{model_snippet(at_hand)}"
        "from transformer_core import greedy_decode, intervene, padding_mask, record, target_mask\n"
        f"{of_changes}\n"
    )
