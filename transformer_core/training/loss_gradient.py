"""How a run finds its gradient: by the backward pass that is written here, or by autograd where that does not do."""

from functools import lru_cache, partial

import torch
from torch import Tensor

from transformer_core.backward import Tape, covers, last_block_first, loss_gradient, reads
from transformer_core.copies import direct
from transformer_core.learned_positions import LearnedPositions
from transformer_core.loss import LabelSmoothing
from transformer_core.masks import Masks
from transformer_core.model import EncoderDecoder
from transformer_core.tasks.batch import Batch
from transformer_core.trace import Recorder
from transformer_core.training.config import TrainConfig
from transformer_core.training.evaluation import loss_of, mean_loss
from transformer_core.training.models import outline, structure
from transformer_core.training.packing import packed
from transformer_core.training.vector import ParameterVector


@lru_cache(maxsize=64)
def by_hand(config: TrainConfig) -> bool:
    """Which of the two a run takes."""
    return covers(outline(partial(structure, config)))


class LossGradient:
    """The loss of a batch, in nats per token that is not padding, and its gradient, which goes into the vector.

    `by_hand` says how; it is settled when the model is given. A batch that `packs` holds two sequences in a row, where
    a row's place no longer tells which learned position was added there.
    """

    def __init__(self, model: EncoderDecoder, criterion: LabelSmoothing, vector: ParameterVector) -> None:
        self.model = model
        self.criterion = criterion
        self.vector = vector
        self.by_hand = covers(model)
        self.packs = not any(isinstance(module, LearnedPositions) for module in model.modules())
        self._recorder = Recorder(model, reads)
        self._direct = direct(model)

    def of(self, batch: Batch) -> float:
        self.vector.begin()
        return self._by_hand(batch) if self.by_hand else self._by_autograd(batch)

    def _by_hand(self, batch: Batch) -> float:
        """The model's own forward pass, recorded, is the tape."""
        with torch.inference_mode(), self._recorder.recording() as trace:
            batch, masks, log_probs = self._forward(batch)
            loss = mean_loss(log_probs, batch, self.criterion)
            assert self.criterion.true_dist is not None
            towards = loss_gradient(log_probs, self.criterion.true_dist.view_as(log_probs), batch.ntokens)
            last_block_first(Tape(trace, place=self.vector.place), self._direct, batch.src, batch.tgt, masks, towards)
        return loss.item()

    def _forward(self, batch: Batch) -> tuple[Batch, Masks, Tensor]:
        """The batch as it goes through the model, its masks, and the log-probabilities of every next token."""
        if self.packs and (rows := packed(batch)):
            return rows, rows.masks, rows.log_probs(self._direct)
        src_mask = None if batch.src_mask.all() else batch.src_mask
        log_probs: Tensor = self._direct.generator(self._direct(batch.src, batch.tgt, src_mask, batch.tgt_mask))
        return batch, Masks(src_mask, src_mask, batch.tgt_mask), log_probs

    def _by_autograd(self, batch: Batch) -> float:
        loss = loss_of(self.model, batch, self.criterion)
        self.vector.backward(loss)
        return loss.item()
