"""Training where the model is: the same losses on a simulated device as on the CPU."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from tests.core.build import log_probs
from tests.core.devices_alone import device, same, within
from transformer_core import (
    Batch,
    LabelSmoothing,
    SimpleLossCompute,
    data_generator,
    get_std_opt,
    make_model,
    run_epoch,
)
from transformer_core.training.checkpoint import load, save, to_bytes
from transformer_core.training.command import _parser
from transformer_core.training.config import TrainConfig
from transformer_core.training.resume import resumed, state_of
from transformer_core.training.run import TrainingRun

__all__ = ["device"]  # the fixture


def test_the_notes_training_learns_the_same(device: torch.device) -> None:
    def losses(where: torch.device | str) -> list[float]:
        torch.manual_seed(8)
        model = make_model(11, 11, N=1, d_model=12, d_ff=10, h=3, dropout=0.0).to(where)
        step = SimpleLossCompute(model.generator, LabelSmoothing(11, 0), get_std_opt(model, factor=1.0, warmup=5))
        seen: list[float] = []
        generator = torch.Generator().manual_seed(9)
        run_epoch(data_generator(11, 4, 6, 7, generator, where), model, step, lambda each: seen.append(each.loss))
        return seen

    expected = losses("cpu")
    assert losses(device) == pytest.approx(expected, rel=1e-4)
    assert expected[-1] != pytest.approx(expected[0], rel=1e-3)


@pytest.mark.parametrize(
    "how", [{}, {"norm_first": False}, {"min_length": 3, "batch": 9}, {"task": "random"}, {"dropout": 0.2}]
)
def test_a_run_trains_there_as_on_the_cpu(device: torch.device, how: dict[str, Any]) -> None:
    """By hand, by autograd, with two sequences to a row, with what is held out, and with dropout of its own.

    A real device drops others and rounds otherwise, and Adam makes whole steps of gradients that are zero but for that:
    of the keys' shifts, which no score feels. There only the losses are compared."""
    simulated = device.type == "gpu"
    settings: dict[str, Any] = {"vocab": 9, "length": 6, "d_model": 12, "h": 3, "d_ff": 10, "batch": 6, "clip": 1.0}
    config = TrainConfig(**(settings | how))
    run, other = TrainingRun(config, device=device), TrainingRun(config)
    reports = [[each.update() for _ in range(6)] for each in (run, other)]
    if config.dropout and not simulated:
        assert all(math.isfinite(found.loss) for found in reports[0])
        return
    for found, expected in zip(*reports, strict=True):
        assert found.loss == pytest.approx(expected.loss, rel=1e-4)
        assert found.gradient_norm == pytest.approx(expected.gradient_norm, rel=1e-3)
    if not simulated:
        return
    same(run.vector.values, other.vector.values)
    pairs = other.examination.pairs(8)
    assert run.examination.match(run.model, pairs) == other.examination.match(other.model, pairs)
    for found, expected in zip(run.look(), other.look(), strict=True):
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-3)
    saved = to_bytes(run.model, config, run.step)
    same(
        log_probs(load(saved).model.to(device), Batch(*pairs).to(device)), log_probs(other.model.eval(), Batch(*pairs))
    )


def test_a_stopped_run_goes_on_there(device: torch.device, tmp_path: Path) -> None:
    settings: dict[str, Any] = {"vocab": 9, "length": 6, "d_model": 12, "h": 3, "d_ff": 10, "batch": 6, "dropout": 0.2}
    run = TrainingRun(TrainConfig(**settings), device=device)
    reports = [run.update() for _ in range(3)]
    save(tmp_path / "stopped.safetensors", run.model, run.config, run.step, state=state_of(run))
    again = resumed(tmp_path / "stopped.safetensors", device).run
    assert len(reports) == again.step == 3
    assert [again.update().loss for _ in range(2)] == pytest.approx(
        [run.update().loss for _ in range(2)], rel=within(device)
    )


def test_the_command_trains_on_a_device_that_is_there(device: torch.device, capsys: pytest.CaptureFixture[str]) -> None:
    assert _parser().parse_args(["--device", str(device)]).device == device
    assert _parser().parse_args([]).device == torch.device("cpu")
    for missing in ("xpu", "teapot"):
        with pytest.raises(SystemExit):
            _parser().parse_args(["--device", missing])
        assert f"finds no device '{missing}' on this machine" in capsys.readouterr().err
