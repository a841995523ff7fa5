"""Two sequences to a row: the same sentences in fewer places, hardly one of them padding."""

import torch
from torch import Tensor

from transformer_core.backward import Masks
from transformer_core.masks import subsequent_mask
from transformer_core.model import EncoderDecoder
from transformer_core.tasks.batch import Batch
from transformer_core.tasks.vocabulary import PAD

WORTH_IT = 0.8  # of the places of a batch, if they take no more than this


def packed(batch: Batch) -> "Packed | None":
    """None where that saves little, or where the decoder looks ahead: then the last token of a target is looked at."""
    looks_ahead = batch.tgt_mask.size(1) < batch.tgt.size(1)
    if looks_ahead or batch.ntokens > WORTH_IT * batch.tgt_y.numel():
        return None
    found = Packed(batch)
    return found if _places(found) <= WORTH_IT * _places(batch) else None


class Packed(Batch):
    """A batch whose longest sequence shares a row with the shortest, the next with the next: half as many rows.

    Masks keep the two apart, and each counts its positions from 0: loss and gradient are those of `batch`. Paddings
    come after all tokens, as in `batch`. The last token of a target has no answer, and no other token looks at it: it
    is left out as well.
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
        src, tgt = self._src // batch.src.size(1), self._tgt // batch.tgt.size(1)  # of which sequence, -1 of none
        self.src_mask = alike(src, src)
        self.memory_mask = alike(tgt, src)
        self.tgt_mask = alike(tgt, tgt) & subsequent_mask(tgt.size(1))
        self.ntokens = batch.ntokens

    @property
    def masks(self) -> Masks:
        return Masks(self.src_mask, self.memory_mask, self.tgt_mask)

    def log_probs(self, model: EncoderDecoder) -> Tensor:
        """Of every next token, through the model's own modules: (rows, T, vocab)."""
        src, tgt = model.src_embed(self._batch.src), model.tgt_embed(self._batch.tgt)
        memory = model.encoder(src.flatten(0, 1)[self._src], self.src_mask)
        output = model.decoder(tgt.flatten(0, 1)[self._tgt], memory, self.memory_mask, self.tgt_mask)
        log_probs: Tensor = model.generator(output)
        return log_probs


def two_to_a_row(tokens: Tensor, longest_first: Tensor) -> Tensor:
    """Which place of a batch, counted row by row, stands where; -1 where none does.

    tokens (n, length) bool, False where there is padding, n numbers of sequences -> (⌈n/2⌉, width) int64
    """
    n, lengths = len(tokens), tokens.sum(1)
    first, second = longest_first[: n - n // 2], longest_first[n - n // 2 :].flip(0)
    row, begin = torch.empty_like(lengths), torch.zeros_like(lengths)
    row[first], row[second] = torch.arange(len(first)), torch.arange(len(second))
    begin[second] = lengths[first[: len(second)]]
    found = torch.full((len(first), int((begin + lengths).max())), -1)
    goes_to = (row * found.size(1) + begin).unsqueeze(1) + torch.arange(tokens.size(1))
    found.view(-1)[goes_to[tokens]] = tokens.flatten().nonzero().squeeze(1)
    return found


def alike(queries: Tensor, keys: Tensor) -> Tensor:
    """Who may attend to whom: (rows, T) and (rows, S) numbers of sequences -> (rows, T, S) bool."""
    return queries.unsqueeze(2) == keys.unsqueeze(1)


def _places(batch: Batch) -> int:
    return batch.src.numel() + batch.tgt.numel()
