"""Experiments on a whole model: who can see the future, whether training sees what writing does, and who can see a
padding (paper, section 3.2.3)."""

from typing import NamedTuple

import torch
from torch import Tensor

from transformer_core.masks import padding_mask, subsequent_mask
from transformer_core.model import EncoderDecoder
from transformer_core.tasks.vocabulary import PAD


class CausalityProbe(NamedTuple):
    """What each output of the decoder makes of a change to each of its T inputs."""

    replaced: Tensor  # (T,) the token put in the place of token j
    before: Tensor  # (T, d_model) the outputs without any change
    after: Tensor  # (T, T, d_model) entry j: the outputs with token j replaced
    difference: Tensor  # (T, T) row i, column j: the largest |after - before| of output i over its dimensions


def causality_probe(model: EncoderDecoder, src: Tensor, tgt: Tensor, *, look_ahead: bool = True) -> CausalityProbe:
    """Replace the tokens of the decoder's input tgt (1, T) one at a time, each by the next token of the vocabulary.

    The source (1, S) stays as it is. With the look-ahead mask the entries with i < j are exactly 0, not just small: a
    blocked weight is 0, and the same sums are done in the same order, since both runs have the same shape (T, T).
    """
    T = tgt.size(1)
    mask = padding_mask(tgt, PAD)
    if look_ahead:
        mask = mask & subsequent_mask(T, device=tgt.device)
    vocab = model.generator.proj.out_features
    replaced = tgt[0] % (vocab - 1) + 1  # never the same token, never padding
    diagonal = torch.eye(T, dtype=torch.bool, device=tgt.device)
    changed = torch.where(diagonal, replaced, tgt)  # (T, T): row j differs from tgt in token j
    src_mask = padding_mask(src, PAD)
    with torch.no_grad():
        memory = model.encode(src, src_mask).expand(T, -1, -1)
        before = model.decode(memory, src_mask, tgt.expand(T, -1), mask)
        after = model.decode(memory, src_mask, changed, mask)  # (T, T, d_model)
    return CausalityProbe(replaced, before[0], after, (after - before).abs().amax(-1).T)


class PrefixProbe(NamedTuple):
    """What each output of the decoder is in one pass over all T tokens, and where the later tokens are not there."""

    together: Tensor  # (T, d_model)
    alone: Tensor  # (T, d_model) row t: the last output of a pass over the tokens 0…t
    difference: Tensor  # (T,) the largest |together - alone| of output t over its dimensions


def prefix_probe(model: EncoderDecoder, src: Tensor, tgt: Tensor, *, look_ahead: bool = True) -> PrefixProbe:
    """Training reads the decoder's input tgt (1, T) at once; decoding, which writes it, has only its first tokens.

    With the look-ahead mask in both the differences are rounding; without it in either, the later tokens make them.
    """
    src_mask = padding_mask(src, PAD)
    with torch.no_grad():
        memory = model.encode(src, src_mask)

        def decoded(tokens: Tensor) -> Tensor:
            mask = padding_mask(tokens, PAD)
            if look_ahead:
                mask = mask & subsequent_mask(tokens.size(1), device=tokens.device)
            out: Tensor = model.decode(memory, src_mask, tokens, mask)
            return out[0]

        together = decoded(tgt)
        alone = torch.stack([decoded(tgt[:, : t + 1])[-1] for t in range(tgt.size(1))])
    return PrefixProbe(together, alone, (together - alone).abs().amax(-1))


class PaddingProbe(NamedTuple):
    """What appending paddings does to the encoder's outputs for the S tokens that were there before."""

    before: Tensor  # (S, d_model)
    after: Tensor  # (most, S, d_model) entry k - 1: with k paddings
    difference: Tensor  # (S, most) row i, column k - 1: the largest |after - before| of token i over its dimensions


def padding_probe(model: EncoderDecoder, src: Tensor, most: int, *, masked: bool = True) -> PaddingProbe:
    """Encode src (1, S), then again with 1…`most` paddings at its end, with the padding mask or with none at all.

    With the mask the differences are rounding only; they need not be 0, for a longer row is summed in another order.
    """
    if most < 1:
        raise ValueError(f"a probe needs at least one padding to append, not {most}")

    def encode(tokens: Tensor) -> Tensor:
        return model.encode(tokens, padding_mask(tokens, PAD) if masked else None)[0, : src.size(1)]

    with torch.no_grad():
        before = encode(src)
        after = torch.stack([encode(torch.nn.functional.pad(src, (0, k), value=PAD)) for k in range(1, most + 1)])
    return PaddingProbe(before, after, (after - before).abs().amax(-1).T)
