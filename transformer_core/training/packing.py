"""Sequence packing: two sequences to a row, so that the same sentences take fewer places, hardly one of them padding.

A mask that is block-diagonal keeps the two apart (Krell et al. 2021, arXiv:2107.02027, against cross-contamination).
"""

from functools import partial
from typing import Self

import torch
from torch import Tensor

from transformer_core.masks import Masks, subsequent_mask
from transformer_core.model import EncoderDecoder
from transformer_core.tasks.batch import Batch
from transformer_core.tasks.vocabulary import PAD

WORTH_IT = 0.8  # the share of a batch's places that packed rows may take


def packed(batch: Batch) -> "Packed | None":
    """The batch with two sequences to a row; None where that saves little, as it does where answers fill their places.

    None without a look-ahead mask, too: the last token of a target, which is left out, would be looked at.
    """
    sees_answers = batch.tgt_mask.size(1) < batch.tgt.size(1)
    if sees_answers or batch.ntokens > WORTH_IT * batch.tgt_y.numel():
        return None
    found = Packed(batch)
    return found if _places(found) <= WORTH_IT * _places(batch) else None


class Packed(Batch):
    """A batch whose longest sequence shares a row with the shortest, the next with the next: half as many rows.

    src (rows, S); tgt and tgt_y (rows, T). Its `masks` (rows, S, S), (rows, T, S) and (rows, T, T) keep the two apart,
    and each counts its positions from 0, which `log_probs` sees to: loss and gradient are those of `batch`, whose
    paddings have to come after all tokens, as they do here. The last token of a target has no answer, and under the
    look-ahead mask no other looks at it: it is left out.
    """

    def __init__(self, batch: Batch) -> None:
        sources, answers = batch.src != PAD, batch.tgt_y != PAD
        longest_first = (sources.sum(1) + answers.sum(1)).argsort(descending=True, stable=True)
        self._batch = batch
        self._src, self._tgt = two_to_a_row(sources, longest_first), two_to_a_row(answers, longest_first)
        self.src, self.tgt, self.tgt_y = (
            tokens.flatten()[places].masked_fill_(places < 0, PAD)
            for tokens, places in ((batch.src, self._src), (batch.tgt, self._tgt), (batch.tgt_y, self._tgt))
        )
        src, tgt = self._src // batch.src.size(1), self._tgt // batch.tgt.size(1)  # segments: a sequence's, of none -1
        ahead = subsequent_mask(tgt.size(1), device=tgt.device)
        self.masks = Masks(segment_mask(src, src), segment_mask(tgt, src), segment_mask(tgt, tgt) & ahead)
        self.ntokens = batch.ntokens

    def to(self, device: torch.device | str) -> Self:
        return type(self)(self._batch.to(device))

    def log_probs(self, model: EncoderDecoder) -> Tensor:
        """Of every next token, through the model's own modules: (rows, T, vocab)."""
        src, tgt = model.src_embed(self._batch.src), model.tgt_embed(self._batch.tgt)
        memory = model.encoder(src.flatten(0, 1)[self._src], self.masks.src)
        output = model.decoder(tgt.flatten(0, 1)[self._tgt], memory, self.masks.memory, self.masks.tgt)
        log_probs: Tensor = model.generator(output)
        return log_probs


def two_to_a_row(tokens: Tensor, longest_first: Tensor) -> Tensor:
    """Which place of a batch, counted row by row, stands where; -1 where none does.

    tokens (n, length) bool, in each row before all paddings; longest_first (n,) int64, the numbers of the rows
    -> (⌈n/2⌉, width) int64
    """
    n, lengths, arange = len(tokens), tokens.sum(1), partial(torch.arange, device=tokens.device)
    first, second = longest_first[: n - n // 2], longest_first[n - n // 2 :].flip(0)
    row, begin = torch.empty_like(lengths), torch.zeros_like(lengths)
    row[first], row[second] = arange(len(first)), arange(len(second))
    begin[second] = lengths[first[: len(second)]]
    found = torch.full((len(first), int((begin + lengths).max())), -1, device=tokens.device)
    goes_to = (row * found.size(1) + begin).unsqueeze(1) + arange(tokens.size(1))
    found.view(-1)[goes_to[tokens]] = tokens.flatten().nonzero().squeeze(1)
    return found


def segment_mask(queries: Tensor, keys: Tensor) -> Tensor:
    """Each attends to its own segment: segments (rows, T) and (rows, S) -> (rows, T, S) bool, True = may attend."""
    return queries.unsqueeze(2) == keys.unsqueeze(1)


def _places(batch: Batch) -> int:
    return batch.src.numel() + batch.tgt.numel()
