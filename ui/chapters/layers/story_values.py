"""What the story of layers is made of: the encoder's pass over the reader's sentence, with residuals and without."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import cosine_similarity

from transformer_core import PAD, START, EncoderDecoder, Trace, greedy_decode, intervene, padding_mask, record
from transformer_core.experiments.interventions import Changes, without_residual
from ui.chapters.layers.norm import Normalised, normalised_at
from ui.chapters.layers.places import SubLayerPlace
from ui.chapters.shared.word_choice import speaking_row
from ui.figures import number
from ui.model import ModelAtHand, measured, output_of, recorded
from ui.sections import AnyChapter, Choice
from ui.sections.inquiry import Inquiry, Version, one_of
from ui.text import Words

SHOWN = 64  # numbers of a strip that are drawn, the first ones
NORM = SubLayerPlace("encoder", 0, 1)  # the LayerNorm that is told of: of the first layer's network


@dataclass(frozen=True)
class LayersStoryValues:
    """x is what is on the belt: at its start, and after each of the encoder's sub-layers."""

    say: Words
    glosses: Mapping[str, str]
    at_hand: ModelAtHand
    words: list[str]
    row: int  # the word that is told of
    embedding: np.ndarray  # (d,) of that word, times √d
    code: np.ndarray  # (d,) of its place
    stops: np.ndarray  # (stops, d) x of that word
    added: np.ndarray  # (stops - 1, d) what each sub-layer adds
    unhooked: np.ndarray  # (stops, d) what goes on where nothing else does
    like: np.ndarray  # (stops,) cosine between x and its start
    like_unhooked: np.ndarray  # (stops,)
    every_like: np.ndarray  # (2, S) of every word, at the last stop: as it is, and without the belt
    norm: Normalised  # at NORM, all words
    own: str  # which of its formulas the model computes with
    first: bool  # whether LayerNorm stands before the sub-layers
    before: list[str]  # what the model writes,
    after: list[str]  # and what without the encoder's residuals

    @property
    def word(self) -> str:
        return self.words[self.row]

    def origin(self, what: str) -> str:
        return self.at_hand.provenance(f"{what}[0, {self.row}]", self.stops.shape[1])


def values(chapter: AnyChapter) -> LayersStoryValues | None:
    sequences = chapter.typed
    at_hand, src = chapter.at_hand, sequences.src
    trace = recorded(at_hand, src, sequences.given)
    _, row, _ = speaking_row(trace["encoder.layers.0.self_attn.weights"][0].numpy(), src)
    apart = measured(at_hand, ("unhooked", src), partial(_unhooked, at_hand, src))
    paths = [place.path for place in _places(at_hand.config.N)]
    starts, ends = trace[f"{paths[0]}.input"][0], trace[f"{paths[-1]}.output"][0]
    start = starts[row]
    stops = torch.stack([start, *(trace[f"{path}.output"][0, row] for path in paths)])
    unhooked = torch.stack([start, *(apart[path][row] for path in paths)])
    module = at_hand.load().get_submodule(f"{NORM.path}.norm")
    labels = at_hand.target.labels
    return LayersStoryValues(
        chapter.say,
        chapter.glosses,
        at_hand,
        sequences.sources,
        row,
        trace["src_embed.0.output"][0, row].numpy(),
        trace["src_embed.1.code"][0, row].numpy(),
        stops.numpy(),
        np.stack([trace[f"{path}.branch"][0, row].numpy() for path in paths]),
        unhooked.numpy(),
        cosine_similarity(stops, start, dim=-1).numpy(),
        cosine_similarity(unhooked, start, dim=-1).numpy(),
        torch.stack([cosine_similarity(end, starts, dim=-1) for end in (ends, apart[paths[-1]])]).numpy(),
        normalised_at(NORM, module, trace),
        "notes" if hasattr(module, "a_2") else "torch",
        at_hand.config.norm_first,
        labels(output_of(at_hand, src)),
        labels(apart["ids"].tolist()),
    )


def _places(layers: int) -> list[SubLayerPlace]:
    return [SubLayerPlace("encoder", n, i) for n in range(layers) for i in range(2)]


def _unhooked(at_hand: ModelAtHand, src: tuple[int, ...], model: EncoderDecoder) -> Trace:
    """With every residual of the encoder left out: what each sub-layer hands on (S, d), and what is written then."""
    places = _places(at_hand.config.N)
    changes: Changes = {path: change for one in places for path, change in without_residual(one.path).items()}
    sources = torch.tensor([src])
    mask = padding_mask(sources, PAD)
    with torch.inference_mode(), intervene(model, changes), record(model) as trace:
        ids: Tensor = greedy_decode(model, sources, mask, at_hand.most(src), START, at_hand.target.end)
    return {"ids": ids[0]} | {one.path: trace[f"{one.path}.output"][0] for one in places}


# What the story of layers asks: what becomes of a word without residual sums; and the same of another word.

UNHOOK = Choice("story_unhook", ("lost", "same", "zero"), right="lost")
LESS = 0.1  # of the likeness, a cosine


def of_another(v: LayersStoryValues, seed: int) -> Version | None:
    others = [row for row in range(len(v.words)) if row != v.row]
    return one_of(seed, others, lambda row: _of(v, row))


def _of(v: LayersStoryValues, row: int) -> Version | None:
    """None where it is hardly less like its start than on the belt."""
    hooked, unhooked = (float(like) for like in v.every_like[:, row])
    if hooked - unhooked < LESS:
        return None
    said = {"word": v.words[row], "sums": len(v.added), "hooked": number(hooked, 2), "unhooked": number(unhooked, 2)}
    return Version("lost", said)


UNHOOKED = Inquiry(UNHOOK, ("neighbours", "size", "carried"), "carried", of_another)
