"""AdamW written out, held to PyTorch's; and a model's first updates on one word."""

import pytest
import torch

from tests.core.test_backward import model_of
from transformer_core.adamw import BETAS, EPS, adamw_steps
from transformer_core.experiments.updates import RATE, NextWord, gradients, updates
from transformer_core.masks import padding_mask, target_mask
from transformer_core.model import EncoderDecoder

WORD = NextWord((1, 5, 2, 6, 3), (1, 7, 3), 1, 8)


def test_the_first_update_worked_by_hand() -> None:
    weight, gradient, none = torch.tensor(2.0), torch.tensor(0.5), torch.tensor(0.0)
    steps = adamw_steps(weight, gradient, none, none, 1, rate=0.1, betas=(0.9, 0.75), eps=0.0, weight_decay=0.01)
    found = {name: round(float(value), 6) for name, value in steps._asdict().items()}
    assert found == {"m": 0.05, "v": 0.0625, "m_hat": 0.5, "v_hat": 0.25, "decay": -0.002, "step": -0.102}


def test_the_second_update_remembers_the_first() -> None:
    m, v = torch.tensor(0.05), torch.tensor(0.0625)
    steps = adamw_steps(torch.tensor(0.0), torch.tensor(-1.0), m, v, 2, rate=0.1, betas=(0.9, 0.75), eps=0.0)
    assert float(steps.m) == pytest.approx(0.9 * 0.05 - 0.1)
    assert float(steps.v) == pytest.approx(0.75 * 0.0625 + 0.25)
    assert float(steps.m_hat) == pytest.approx(float(steps.m) / 0.19)
    assert float(steps.v_hat) == pytest.approx(float(steps.v) / (1 - 0.75**2))
    assert float(steps.decay) == 0


@pytest.mark.parametrize("weight_decay", [0.0, 0.3])
def test_ten_updates_are_those_of_pytorch(weight_decay: float) -> None:
    generator = torch.Generator().manual_seed(0)
    start, rate = torch.randn(3, 5, dtype=torch.float64, generator=generator), 0.02
    theirs = torch.nn.Parameter(start.clone())
    optimizer = torch.optim.AdamW([theirs], lr=rate, betas=BETAS, eps=EPS, weight_decay=weight_decay)
    ours, m, v = start.clone(), torch.zeros_like(start), torch.zeros_like(start)
    for t in range(1, 11):
        gradient = torch.randn(3, 5, dtype=torch.float64, generator=generator)
        theirs.grad = gradient
        optimizer.step()
        steps = adamw_steps(ours, gradient, m, v, t, rate=rate, weight_decay=weight_decay)
        ours, m, v = ours + steps.step, steps.m, steps.v
    torch.testing.assert_close(ours, theirs.detach(), rtol=1e-12, atol=1e-14)


def loss(model: EncoderDecoder) -> torch.Tensor:
    src, given = torch.tensor([WORD.src]), torch.tensor([WORD.given])
    log_probs = model.generator(model(src, given, padding_mask(src), target_mask(given)))
    return -log_probs[0, WORD.at, WORD.right]


@pytest.mark.parametrize("weight_decay", [0.0, 0.3])
@pytest.mark.parametrize(
    ("name", "entry"),
    [
        ("encoder.layers.0.feed_forward.w_1.weight", (3, 7)),
        ("decoder.norm.a_2", (5,)),
        ("src_embed.0.lut.weight", (5, 2)),
    ],
)
def test_a_weight_goes_the_way_that_it_goes_with_autograd_and_pytorchs_optimiser(
    name: str, entry: tuple[int, ...], weight_decay: float
) -> None:
    ours, theirs = model_of(), model_of()
    found = updates(ours, WORD, name, entry, 4, weight_decay=weight_decay)
    optimizer = torch.optim.AdamW(theirs.parameters(), lr=RATE, betas=BETAS, eps=EPS, weight_decay=weight_decay)
    weight = theirs.get_parameter(name)
    for t in range(4):
        optimizer.zero_grad()
        value = loss(theirs)
        value.backward()
        assert weight.grad is not None
        assert float(found.losses[t]) == pytest.approx(value.item(), rel=1e-9)
        before, gradient = float(weight.detach()[entry]), float(weight.grad[entry])
        optimizer.step()
        state = optimizer.state[weight]
        expected = [before, gradient, float(state["exp_avg"][entry]), float(state["exp_avg_sq"][entry])]
        assert found.weight[t, :4].tolist() == pytest.approx(expected, rel=1e-6, abs=1e-12)
        assert float(found.weight[t, 7]) == pytest.approx(float(weight.detach()[entry]) - before, rel=1e-6, abs=1e-12)
    assert float(found.losses[4]) == pytest.approx(loss(theirs).item(), rel=1e-9)
    assert found.losses[4] < found.losses[0]


def test_the_gradients_of_a_word_are_those_of_autograd() -> None:
    model = model_of()
    value, found = gradients(model, WORD)
    expected = torch.autograd.grad(loss(model), list(model.parameters()))
    assert value == pytest.approx(loss(model).item())
    for (name, _), gradient in zip(model.named_parameters(), expected):
        torch.testing.assert_close(found[name], gradient, rtol=1e-9, atol=1e-12)
