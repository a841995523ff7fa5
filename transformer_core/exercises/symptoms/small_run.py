"""A short run of a small model, a step at a time, that is given its batches and may have something wrong."""

from typing import Any, NamedTuple

import torch
from torch import nn

from transformer_core.dropout import Dropout, drop
from transformer_core.loss import LabelSmoothing
from transformer_core.model import EncoderDecoder
from transformer_core.schedule import learning_rate
from transformer_core.tasks.batch import Batch
from transformer_core.tasks.vocabulary import PAD
from transformer_core.training.config import TrainConfig
from transformer_core.training.loss_gradient import LossGradient
from transformer_core.training.models import BATCHES, fresh_model, stream
from transformer_core.training.optimizer import VectorAdamW
from transformer_core.training.vector import ParameterVector


class TorchNames(NamedTuple):
    """What PyTorch's own optimisers call what they hold."""

    param_groups: list[dict[str, Any]]


class SmallRun:
    """Places of the `ignored` token do not count in the loss. `scheduled`: whether the rate follows the step."""

    def __init__(self, config: TrainConfig, *, ignored: int = PAD, scheduled: bool = True) -> None:
        self.config = config
        self.scheduled = scheduled
        self.step = 0
        self.model = fresh_model(config)
        if config.dropout:
            drop_from_seed(self.model, config.dropout, config.seed)
        self.model.train(config.dropout > 0)
        self.vector = ParameterVector(self.model)
        self.trains(self.model, self.vector)
        self.batches = stream(config.seed, BATCHES)
        self._gradient = LossGradient(
            self.model, LabelSmoothing(config.tgt_vocab, ignored, config.smoothing), self.vector
        )

    def trains(self, model: EncoderDecoder, vector: ParameterVector) -> None:
        """The optimiser has the weights of this model, of which that is the vector."""
        self._held = list(model.parameters())
        self._optimizer = VectorAdamW(vector)

    def update(self, batch: Batch) -> tuple[float, float]:
        """The loss, and how long its gradient is. Like PyTorch's optimisers it leaves what has no gradient as it is."""
        loss = self._gradient.of(batch)
        length = float(torch.linalg.vector_norm(self.vector.gradient))
        self.step += 1
        self._optimizer.rate = learning_rate(self.config, self.step if self.scheduled else 0)
        if self._optimizer.vector.values.grad is not None:
            self._optimizer.step()
        self.vector.end()
        return loss, length

    @property
    def optimizer(self) -> TorchNames:
        return TorchNames([{"lr": self._optimizer.rate, "params": self._held}])


class DropoutFromSeed(Dropout):
    """`torch.nn.Dropout`, but for its draws, which nobody else takes numbers from."""

    generator: torch.Generator

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if not self.training:
            return x
        return drop(x, torch.rand(x.shape, generator=self.generator) >= self.p, self.p)


def drop_from_seed(model: nn.Module, p: float, seed: int) -> None:
    """From now on the model drops with probability p in training mode."""
    generator = torch.Generator().manual_seed(seed)
    for module in model.modules():
        if isinstance(module, Dropout):
            module.__class__ = DropoutFromSeed
            module.p = p
            vars(module)["generator"] = generator
