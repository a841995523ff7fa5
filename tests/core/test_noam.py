"""The learning rate of equation (3)."""

import pytest
import torch

from tests.core.build import D_MODEL, small_model
from transformer_core import NoamOpt, get_std_opt, noam_rate


def test_rates_worked_by_hand() -> None:
    # d_model 4 halves the rate; warm-up 4 makes step^-0.5 and step · 4^-1.5 meet at step 4.
    rates = [noam_rate(step, d_model=4, warmup=4) for step in (0, 1, 2, 4, 16, 64)]
    assert rates == pytest.approx([0, 1 / 16, 1 / 8, 1 / 4, 1 / 8, 1 / 16])


def test_the_papers_rate_peaks_at_seven_ten_thousandths_after_four_thousand_steps() -> None:
    assert noam_rate(4000, 512) == pytest.approx(6.9877e-4, rel=1e-4)
    assert noam_rate(1, 512) == pytest.approx(1.7469e-7, rel=1e-4)
    assert noam_rate(16000, 512) == pytest.approx(noam_rate(4000, 512) / 2)
    assert max(range(1, 20000, 7), key=lambda step: noam_rate(step, 512)) in range(3994, 4008)


def test_the_factor_scales_every_rate() -> None:
    assert noam_rate(300, 24, factor=0.5, warmup=100) == pytest.approx(noam_rate(300, 24, warmup=100) / 2)


def test_each_update_uses_the_rate_of_its_step() -> None:
    weight = torch.nn.Parameter(torch.tensor([3.0]))
    opt = NoamOpt(4, 1.0, 4, torch.optim.SGD([weight], lr=0.0))
    expected = 3.0
    for step in range(1, 8):
        weight.grad = torch.tensor([10.0])
        opt.step()
        expected -= 10 * noam_rate(step, 4, warmup=4)
        assert weight.item() == pytest.approx(expected)
        assert opt.rate() == noam_rate(step, 4, warmup=4)
    assert opt.rate(1) == pytest.approx(1 / 16)


def test_the_standard_optimiser_is_the_papers_adam() -> None:
    model = small_model()
    opt = get_std_opt(model)
    (group,) = opt.optimizer.param_groups

    assert isinstance(opt.optimizer, torch.optim.Adam)
    assert group["betas"] == (0.9, 0.98)
    assert group["eps"] == 1e-9
    assert opt.rate(4000) == pytest.approx(2 * D_MODEL**-0.5 * 4000**-0.5), "factor and warm-up of the notes' package"
    assert opt.rate(1000) == pytest.approx(opt.rate(4000) / 4)
    assert {id(parameter) for parameter in group["params"]} == {id(parameter) for parameter in model.parameters()}
