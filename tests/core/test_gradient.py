"""The gradient that a run learns from: by hand where the backward pass knows the model, close to that of float64."""

from copy import deepcopy
from statistics import median
from typing import Any

import pytest
import torch

from transformer_core import Batch
from transformer_core.loss import LabelSmoothing, smoothed_targets
from transformer_core.model import EncoderDecoder
from transformer_core.tasks.vocabulary import PAD
from transformer_core.training.config import TrainConfig
from transformer_core.training.evaluation import log_probs_of, loss_of
from transformer_core.training.loss_gradient import LossGradient, by_hand
from transformer_core.training.models import fresh_model
from transformer_core.training.run import TrainingRun
from transformer_core.training.vector import ParameterVector

SIZES: dict[str, Any] = {"N": 2, "d_model": 12, "h": 3, "d_ff": 10, "batch": 5}
BY_HAND = {
    "copy": TrainConfig(steps=40, warmup=4),
    "padded": TrainConfig(**SIZES, vocab=9, length=7, min_length=3, steps=30, warmup=4),
    "unscaled": TrainConfig(**SIZES, vocab=9, length=7, scale=False, steps=30, warmup=4),
    "smoothed": TrainConfig(**SIZES, vocab=9, length=7, smoothing=0.1, steps=30, warmup=4),
    "clipped": TrainConfig(**SIZES, vocab=9, length=7, clip=0.1, schedule="noam", steps=30, warmup=4),
    "long rows": TrainConfig(**SIZES, vocab=9, length=21, steps=20, warmup=4),
    "random": TrainConfig(**(SIZES | {"task": "random", "vocab": 40, "length": 6, "steps": 20})),
    "sort": TrainConfig.of_task("sort", **(SIZES | {"steps": 20})),
    "translate": TrainConfig.of_task("translate", batch=8, steps=20),
    "both ways": TrainConfig.of_task("translate", "both", **(SIZES | {"steps": 20})),
}
BY_AUTOGRAD = {
    "dropout": TrainConfig(**SIZES, vocab=9, length=7, dropout=0.2),
    "post-norm": TrainConfig(**SIZES, vocab=9, length=7, norm_first=False),
    "recurrent": TrainConfig(**SIZES, vocab=9, length=7, architecture="recurrent"),
}


def gradient_in(vector: ParameterVector) -> torch.Tensor:
    return vector.gradient.double()


def in_float64(
    model: EncoderDecoder, batch: Batch, smoothing: float, vector: ParameterVector
) -> tuple[float, torch.Tensor]:
    """The loss, and its gradient by autograd as one vector, in the order of `vector`."""
    twin = deepcopy(model).double()
    log_probs = log_probs_of(twin, batch)
    true_dist = smoothed_targets(batch.tgt_y.flatten(), log_probs.size(-1), PAD, smoothing).double().view_as(log_probs)
    loss = (torch.xlogy(true_dist, true_dist) - true_dist * log_probs).sum() / batch.ntokens
    gradients = torch.autograd.grad(loss, [twin.get_parameter(name) for name in vector.parts])
    return loss.item(), torch.cat([gradient.flatten() for gradient in gradients])


@pytest.mark.parametrize("name", BY_HAND)
def test_along_a_run_the_gradient_by_hand_is_that_of_float64(name: str) -> None:
    """Where a hidden number is 0 but for rounding, ReLU's slope there is 0 in one of the two and 1 in the other: so
    few of the looks may be off by a little more, and none by much."""
    config = BY_HAND[name]
    run = TrainingRun(config)
    assert by_hand(config)
    assert run.gradient.by_hand
    fresh, off = torch.Generator().manual_seed(5), []
    for step in range(config.steps):
        if step % 5 == 0:
            batch = Batch(*run.task.pairs(config.batch, fresh))
            loss = run.gradient.of(batch)
            expected_loss, expected = in_float64(run.model, batch, config.smoothing, run.vector)
            ours = gradient_in(run.vector)
            assert loss == pytest.approx(expected_loss, rel=1e-6, abs=1e-6), step
            off.append(float((ours - expected).norm() / expected.norm()))
        run.update()
    assert median(off) < 1e-5
    assert max(off) < 1e-2


@pytest.mark.parametrize("name", BY_AUTOGRAD)
def test_what_the_backward_pass_does_not_know_is_left_to_autograd(name: str) -> None:
    config = BY_AUTOGRAD[name]
    run = TrainingRun(config)
    assert not by_hand(config)
    assert not run.gradient.by_hand
    run.model.eval()
    batch = Batch(*run.task.pairs(config.batch, torch.Generator().manual_seed(5)))
    loss = run.gradient.of(batch)
    expected_loss, expected = in_float64(run.model, batch, 0.0, run.vector)
    ours = gradient_in(run.vector)
    assert loss == pytest.approx(expected_loss, rel=1e-6, abs=1e-6)
    assert float((ours - expected).norm() / expected.norm()) < 1e-5


def test_both_ways_give_the_same_loss_and_gradient() -> None:
    model, criterion = fresh_model(BY_HAND["padded"]), LabelSmoothing(9, PAD, 0.0)
    batch = Batch(torch.tensor([[1, 4, 2, 0], [1, 8, 3, 5]]), torch.tensor([[1, 4, 2, 0], [1, 8, 3, 5]]))
    vector = ParameterVector(model)
    gradient = LossGradient(model, criterion, vector)
    loss = gradient.of(batch)
    ours = gradient_in(vector)
    gradient.by_hand = False
    assert gradient.of(batch) == pytest.approx(loss, abs=1e-6)
    torch.testing.assert_close(gradient_in(vector), ours, rtol=1e-4, atol=1e-6)
    with torch.no_grad():
        assert loss == pytest.approx(float(loss_of(model, batch, criterion)), abs=1e-6)
