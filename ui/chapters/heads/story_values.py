"""The sentence, the head of cross-attention and the word that the story of all heads is about, and how they are found.

The reader's own sentence is told of if the model writes another output with one of those heads switched off; of several
heads the one is taken without which the first output stays likeliest. Otherwise the unseen sentences of the task are
tried, those in the reader's script that come out right with all heads: the head is the one that spoils most of them,
the sentence the shortest that it spoils. Where no head changes anything, the story stays with the reader's sentence and
says so."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from transformer_core import PAD, EncoderDecoder, Trace
from transformer_core.experiments.ablation import Head, memory_of, scores_without
from transformer_core.experiments.agreement import AgreementLook
from transformer_core.tasks import Task
from transformer_core.tasks.batch import Pairs
from ui.chapters.heads.alignment.sentences import LARGE
from ui.chapters.heads.what_if.values import WhatIf, decoded
from ui.chapters.shared.agreement import words_that_follow
from ui.chapters.shared.attention_values import path
from ui.chapters.shared.look_lines import task_of
from ui.chapters.shared.word_choice import LEFT
from ui.inputs.direction import same_language
from ui.model import ModelAtHand, measured, output_of, recorded
from ui.sections import AnyChapter, Choice
from ui.sections.inquiry import Inquiry, Version, one_of, ranked
from ui.text import Words

Tokens = tuple[int, ...]
UNSEEN, FEWER = 64, 16  # sentences that are tried; with a large model


class SpoiledOutput(NamedTuple):
    """A source, what the model writes with all heads, and what with one off."""

    src: Tokens
    before: Tokens
    after: Tokens
    layer: int
    head: int


class Agreement(NamedTuple):
    """Of the reader's own sentence, an attention that brings a written word the noun which that follows; where none
    follows any, the decoder's attention to what is already written, where a head looks most at one word of it."""

    kind: str
    look: AgreementLook
    weights: np.ndarray  # (h, queries, keys) of that attention
    queries: list[str]
    keys: list[str]
    word: str  # the word of the output that is about to be written
    follows: bool  # whether it was measured to follow a noun: with another one in the source it is another word

    @property
    def noun(self) -> str:
        return self.keys[self.look.key]


@dataclass(frozen=True)
class HeadsStoryValues:
    say: Words
    glosses: Mapping[str, str]
    at_hand: ModelAtHand
    written: SpoiledOutput
    sources: list[str]
    before: list[str]  # what is written, the start symbol left out
    after: list[str]
    row: int  # of the output, the word that the story begins with: the first one that changes
    weights: np.ndarray  # (h, T, S) of that layer's cross-attention
    trace: Trace  # of the output before
    kept: np.ndarray  # (N, h) of how many sentences each head may be switched off
    sentences: int
    unseen: bool  # whether these are unseen ones; else the one that is told of
    link: Mapping[str, str]  # the sentence, if it is not the reader's own
    own: "Agreement"

    @property
    def origin(self) -> str:
        return self.at_hand.provenance(f"{path('cross', self.written.layer)}.weights", *self.weights.shape)

    @property
    def changes(self) -> bool:
        return self.written.before != self.written.after


def values(chapter: AnyChapter) -> HeadsStoryValues | None:
    """None where the model writes nothing, or the sequences cannot be read."""
    sequences = chapter.typed
    if len(output_of(chapter.at_hand, sequences.src)) < 2:
        return None
    at_hand, own = chapter.at_hand, sequences.src
    here = Pairs(torch.tensor([own]), torch.tensor([output_of(at_hand, own)]))
    pairs, unseen = _unseen(at_hand), True
    if pairs is None or not len(pairs.src):
        pairs, unseen = here, False
    still = _without(at_hand, pairs, "unseen" if unseen else own).right
    written = _spoiled(at_hand, own, here) or (_spoiled_unseen(at_hand, own, pairs, still) if unseen else None)
    if written is None or written.before == written.after:
        written = SpoiledOutput(own, output_of(at_hand, own), output_of(at_hand, own), at_hand.config.N - 1, 0)
    given, predicted = written.before[:-1], written.before[1:]
    trace = recorded(at_hand, written.src, given)
    weights = trace[f"{path('cross', written.layer)}.weights"][0].numpy()
    if written.before == written.after:
        open_rows = np.where(weights <= 1 - LEFT, weights, -1.0)
        head, row = (int(at) for at in np.unravel_index(int(open_rows.argmax()), weights.shape)[:2])
        written = written._replace(head=head)
    else:
        other = (at for at, token in enumerate(predicted) if written.after[1:][at : at + 1] != (token,))
        row = next(other, len(predicted) - 1)
    source, target = at_hand.source, at_hand.target

    def labels(tokens: Tokens) -> list[str]:
        return target.labels(tokens)[1:]

    text = source.text(written.src) if at_hand.words else " ".join(map(str, written.src))
    link = {} if written.src == own else {"src": text}
    return HeadsStoryValues(
        say=chapter.say,
        glosses=chapter.glosses,
        at_hand=at_hand,
        written=written,
        sources=source.labels(written.src),
        before=labels(written.before),
        after=labels(written.after),
        row=row,
        weights=weights,
        trace=trace,
        kept=still.sum(-1),
        sentences=len(pairs.src),
        unseen=unseen,
        link=link,
        own=_agreement(at_hand, own),
    )


def _agreement(at_hand: ModelAtHand, src: Tokens) -> Agreement:
    given = output_of(at_hand, src)[:-1]
    trace = recorded(at_hand, src, given)
    known = words_that_follow(at_hand, src)
    look = known.looks[0] if known else _back(trace, at_hand.config.N)
    source, target = at_hand.source.labels(src), at_hand.target.labels(output_of(at_hand, src))
    queries = source if look.kind == "encoder" else target[1:]
    keys = target[:-1] if look.kind == "decoder" else source
    weights = trace[f"{path(look.kind, look.layer)}.weights"][0].numpy()
    return Agreement(look.kind, look, weights, queries, keys, target[look.word], known is not None)


def _back(trace: Trace, layers: int) -> AgreementLook:
    """Of the decoder's heads, the largest weight from a row to an earlier token than its own, or else to its own."""
    weights = torch.cat([trace[f"{path('decoder', layer)}.weights"] for layer in range(layers)])  # (N, h, T, T)
    back = weights.tril(-1) if weights.size(-1) > 1 else weights
    at, head, query, key = (int(one) for one in np.unravel_index(int(back.argmax()), back.shape))
    return AgreementLook("decoder", at, head, query, key, float(back[at, head, query, key]), query + 1)


class Without(NamedTuple):
    """Of each head of cross-attention, of each sentence: what is measured with the head off."""

    right: np.ndarray  # (N, h, n) whether the target is written to its last token
    losses: np.ndarray  # (N, h, n) nats of the target


def _without(at_hand: ModelAtHand, pairs: Pairs, what: str | Tokens) -> Without:
    def measure(model: EncoderDecoder) -> Trace:
        memory, layers, heads = memory_of(model, pairs), at_hand.config.N, at_hand.config.h
        off = [Head(path("cross", layer), head) for layer in range(layers) for head in range(heads)]
        found = [scores_without(model, pairs, memory, one) for one in off]
        right, losses = torch.stack([one.right for one in found]), torch.stack([one.losses for one in found])
        return {name: x.unflatten(0, (layers, heads)) for name, x in (("right", right), ("losses", losses))}

    found = measured(at_hand, ("without", what), measure)
    return Without(found["right"].numpy(), found["losses"].numpy())


def _spoiled(at_hand: ModelAtHand, src: Tokens, pairs: Pairs) -> SpoiledOutput | None:
    """The sentence with one head off that changes it; None where no head does."""
    right, losses = (values[:, :, 0] for values in _without(at_hand, pairs, src))
    if right.all():
        return None
    layer, head = np.unravel_index(int(np.where(right, np.inf, losses).argmin()), right.shape)
    return _written(at_hand, src, int(layer), int(head))


def _spoiled_unseen(at_hand: ModelAtHand, own: Tokens, pairs: Pairs, still: np.ndarray) -> SpoiledOutput | None:
    """A shortest sentence that the head spoils which spoils most; of those in the language of the reader's own."""
    source = at_hand.source
    text = source.text(own)
    fits = np.array([same_language(at_hand.words, source.text(row.tolist()), text) for row in pairs.src])
    spoiled = ~still & fits  # (N, h, n)
    if not spoiled.any():
        return None
    layer, head = (int(at) for at in np.unravel_index(int(spoiled.sum(-1).argmax()), spoiled.shape[:2]))
    rows = [tuple(token for token in row.tolist() if token != PAD) for row in pairs.src[spoiled[layer, head]]]
    return _written(at_hand, min(rows, key=len), layer, head)


def _written(at_hand: ModelAtHand, src: Tokens, layer: int, head: int) -> SpoiledOutput:
    before = output_of(at_hand, src)
    what = WhatIf(src, "head_off", path("cross", layer), head)
    after = tuple(decoded(at_hand, what, before[:-1])["ids"].tolist())
    return SpoiledOutput(src, before, after, layer, head)


def _unseen(at_hand: ModelAtHand) -> Pairs | None:
    """The task's unseen sentences that come out right with all heads; None where the task is not known."""
    task = task_of(at_hand)
    if task is None:
        return None
    count = FEWER if sum(one.numel() for one in at_hand.load().parameters()) > LARGE else UNSEEN
    found = measured(at_hand, ("right unseen", count), partial(_right, task, count))
    return Pairs(found["src"], found["tgt"])


def _right(task: Task, count: int, model: EncoderDecoder) -> dict[str, Tensor]:
    pairs = task.held_out(count)
    right = scores_without(model, pairs, memory_of(model, pairs), None).right
    return {"src": pairs.src[right], "tgt": pairs.tgt[right]}


# What the story of heads asks: how many sentences come out right with one of them off; and the same of another one.

NEEDED = Choice("story_needed", ("most", "part", "none"), right="most")


def of_another(v: HeadsStoryValues, seed: int) -> Version | None:
    layers, heads = v.kept.shape
    told = v.written.layer, v.written.head
    others = [(layer, head) for layer in range(layers) for head in range(heads) if (layer, head) != told]
    return one_of(seed, others, lambda at: _of(v, *at)) if v.unseen else None


def _of(v: HeadsStoryValues, layer: int, head: int) -> Version | None:
    kept, heads = int(v.kept[layer, head]), v.kept.shape[1]
    labels = ranked({"most": kept, "part": round(v.sentences * (1 - 1 / heads)), "none": 0})
    said = {"layer": layer, "head": head, "heads": heads, "n": v.sentences, "kept": kept}
    told = {"told": v.written.head, "told_kept": int(v.kept[v.written.layer, v.written.head])}
    return Version("most", said | told, labels) if labels else None


SPARED = Inquiry(NEEDED, ("average", "alike", "trained"), "alike", of_another)
