"""Which heads matter: each of them switched off in turn, and how well the model still does (Michel et al. 2019, "Are
Sixteen Heads Really Better than One?").

One forward pass per head tells both measures, for decoding by itself need not be run. Row t of the decoder depends on
the tokens 0…t that it is given and on nothing later (look-ahead mask), whatever is switched off. Let a_0 … a_n be the
answer and a_0 the start symbol. If greedy decoding has written a_0 … a_t, its next token is the likeliest one after
these, which is row t's in the pass that is given the whole answer. So if the likeliest token of every row t < n is
a_(t+1), decoding writes the answer, by induction; and if some row's is not, then at the first such row decoding, right
until then, writes another token. Only where two logits are as close as rounding may the two differ.
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from torch import Tensor

from transformer_core.attention import MultiHeadedAttention
from transformer_core.devices import in_float64
from transformer_core.experiments.interventions import head_off
from transformer_core.model import EncoderDecoder
from transformer_core.tasks.batch import Batch, Pairs
from transformer_core.tasks.vocabulary import PAD
from transformer_core.trace import intervene

ATTENTIONS = ("encoder.layers.{}.self_attn", "decoder.layers.{}.self_attn", "decoder.layers.{}.src_attn")


class Head(NamedTuple):
    """One head by the path of its attention and its number."""

    attention: str
    head: int


class Scores(NamedTuple):
    """How a model does on n pairs."""

    right: Tensor  # (n,) bool: greedy decoding gives the target to its last token
    losses: Tensor  # (n,) as `in_float64`, nats: -ln of the probability of the whole target, given what comes before
    tokens: Tensor  # (n,) int64: those of a target that have to be predicted

    @property
    def exact_match(self) -> float:
        """The share of targets that are given without a mistake."""
        return float(in_float64(self.right).mean())

    @property
    def loss(self) -> float:
        """Nats per token."""
        return float(self.losses.sum() / int(self.tokens.sum()))


def every_head(model: EncoderDecoder) -> list[Head]:
    """The encoder's, the decoder's, those of cross-attention; each layer by layer."""
    paths = [path.format(layer) for path in ATTENTIONS for layer in range(len(model.decoder.layers))]
    attention = model.get_submodule(paths[0])
    assert isinstance(attention, MultiHeadedAttention)
    return [Head(path, head) for path in paths for head in range(attention.h)]


def scores_without(model: EncoderDecoder, pairs: Pairs, memory: Tensor, off: Head | None) -> Scores:
    """How the model, in evaluation mode, does with one head switched off; with None, as it is.

    src (n, S) and tgt (n, T) with PAD; `memory` (n, S, d_model) is what the whole model's encoder makes of them, which
    a head of the decoder leaves as it is. ValueError if there is no such head.
    """
    batch = Batch(*pairs)
    changes = {} if off is None else head_off(*off)
    with torch.inference_mode(), intervene(model, changes):
        if off is not None and off.attention.startswith("encoder."):
            memory = model.encode(batch.src, batch.src_mask)
        log_probs = model.generator(model.decode(memory, batch.src_mask, batch.tgt, batch.tgt_mask))
    asked = batch.tgt_y != PAD
    of_answer = log_probs.gather(-1, batch.tgt_y.unsqueeze(-1)).squeeze(-1)  # (n, T - 1)
    right = (log_probs.argmax(-1) == batch.tgt_y) | ~asked
    return Scores(right.all(-1), -in_float64(of_answer * asked).sum(-1), asked.sum(-1))


def memory_of(model: EncoderDecoder, pairs: Pairs) -> Tensor:
    """What the encoder makes of the sources: (n, S, d_model)."""
    batch = Batch(*pairs)
    with torch.inference_mode():
        return model.encode(batch.src, batch.src_mask)


def ablations(model: EncoderDecoder, pairs: Pairs) -> Iterator[tuple[Head | None, Scores]]:
    """The model as it is, then with each head off, one at a time; encoded once for all heads of the decoder."""
    memory = memory_of(model, pairs)
    for off in (None, *every_head(model)):
        yield off, scores_without(model, pairs, memory, off)
