"""What the story of layers is made of: the encoder's pass over the reader's sentence, with residuals and without."""

from functools import partial

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import cosine_similarity

from transformer_core import PAD, START, EncoderDecoder, Trace, greedy_decode, intervene, padding_mask, record
from transformer_core.experiments.interventions import Changes, without_residual
from ui.chapters.layers.norm import normalised_at
from ui.chapters.layers.places import SubLayerPlace
from ui.chapters.shared.agreement import speaking_noun
from ui.figures import number
from ui.model import ModelAtHand, measured, output_of, recorded
from ui.sections import AnyChapter, Choice
from ui.sections.inquiry import Inquiry, Version, one_of

SHOWN = 64  # numbers of a strip that are drawn, the first ones
NORM = SubLayerPlace("encoder", 0, 1)  # the LayerNorm that is told of: of the first layer's network


class LayersStoryValues:
    """x is what is on the belt: at its start, and after each of the encoder's sub-layers."""

    def __init__(self, chapter: AnyChapter) -> None:
        self.say, self.glosses, self.at_hand = chapter.say, chapter.glosses, chapter.at_hand
        at_hand, sequences, src = chapter.at_hand, chapter.typed, chapter.typed.src
        trace = recorded(at_hand, src, sequences.given)
        _, row, _ = speaking_noun(at_hand, trace["encoder.layers.0.self_attn.weights"][0].numpy(), src)
        self.words, self.row = sequences.sources, row  # the word that is told of
        apart = measured(at_hand, ("unhooked", src), partial(_unhooked, at_hand, src))
        paths = [place.path for place in _places(at_hand.config.N)]
        starts, ends = trace[f"{paths[0]}.input"][0], trace[f"{paths[-1]}.output"][0]
        start = starts[row]
        stops = torch.stack([start, *(trace[f"{path}.output"][0, row] for path in paths)])
        unhooked = torch.stack([start, *(apart[path][row] for path in paths)])
        self.embedding = trace["src_embed.0.output"][0, row].numpy()  # (d,) of that word, times √d
        self.code = trace["src_embed.1.code"][0, row].numpy()  # (d,) of its place
        self.stops, self.unhooked = (
            stops.numpy(),
            unhooked.numpy(),
        )  # (stops, d) x; and what goes on without it
        self.added = np.stack([trace[f"{path}.branch"][0, row].numpy() for path in paths])  # (stops - 1, d)
        # Cosines between x and its start, (stops,); of every word at the last stop, as it is and without the belt.
        self.like, self.like_unhooked = (cosine_similarity(x, start, dim=-1).numpy() for x in (stops, unhooked))
        last = (ends, apart[paths[-1]])
        self.every_like = torch.stack([cosine_similarity(end, starts, dim=-1) for end in last]).numpy()
        module = at_hand.load().get_submodule(f"{NORM.path}.norm")
        self.norm = normalised_at(NORM, module, trace)  # all words
        self.own = "notes" if hasattr(module, "a_2") else "torch"  # which of its formulas the model computes with
        self.first = at_hand.config.norm_first  # whether LayerNorm stands before the sub-layers
        # What the model writes, and what without the encoder's residuals.
        self.before = at_hand.target.labels(output_of(at_hand, src))
        self.after = at_hand.target.labels(apart["ids"].tolist())

    @property
    def word(self) -> str:
        return self.words[self.row]

    def origin(self, what: str) -> str:
        return self.at_hand.provenance(f"{what}[0, {self.row}]", self.stops.shape[1])


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
