"""The position-wise feed-forward network, equation (2)."""

import torch

from tests.core.build import BATCH, D_FF, D_MODEL, T, assert_within
from transformer_core import PositionwiseFeedForward


def test_two_numbers_through_three_hidden_units_worked_by_hand() -> None:
    network = PositionwiseFeedForward(2, 3, dropout=0.0)
    with torch.no_grad():
        network.w_1.weight.copy_(torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]))
        network.w_1.bias.copy_(torch.tensor([0.0, 0.0, -10.0]))
        network.w_2.weight.copy_(torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]))
        network.w_2.bias.copy_(torch.tensor([0.5, -0.5]))

    steps = network.steps(torch.tensor([[[3.0, -2.0], [4.0, 7.0]]]))

    assert steps.pre_activation.tolist() == [[[3, -2, -9], [4, 7, 1]]]
    assert steps.hidden.tolist() == [[[3, 0, 0], [4, 7, 1]]]
    assert steps.output.tolist() == [[[3.5, 11.5], [21.5, 56.5]]]


def test_no_position_looks_at_another_and_all_use_the_same_weights() -> None:
    network = PositionwiseFeedForward(D_MODEL, D_FF).eval()
    x = torch.randn(BATCH, T, D_MODEL)
    order = torch.randperm(T)

    assert_within(network(x[:, order]), network(x)[:, order], 1e-6)
    for position in range(T):
        assert_within(network(x[:, [position]]), network(x)[:, [position]], 1e-6)


def test_equal_vectors_give_equal_outputs_wherever_they_stand() -> None:
    network = PositionwiseFeedForward(D_MODEL, D_FF).eval()
    out = network(torch.randn(1, 1, D_MODEL).expand(BATCH, T, D_MODEL))
    assert_within(out, out[:1, :1].expand_as(out), 1e-6)


def test_without_relu_its_two_matrices_could_be_multiplied_into_one() -> None:
    network = PositionwiseFeedForward(D_MODEL, D_FF).eval()
    x, zero = torch.randn(BATCH, T, D_MODEL), torch.zeros(D_MODEL)
    one = network.w_2.weight @ network.w_1.weight
    bias = network.w_2(network.w_1(zero))
    assert_within(network.w_2(network.w_1(x)), x @ one.T + bias, 1e-5)
    assert not torch.allclose(network(x), x @ one.T + bias, atol=1e-2)


def test_dropout_acts_on_the_hidden_layer() -> None:
    network = PositionwiseFeedForward(D_MODEL, 400, dropout=0.25)
    steps = network.steps(torch.randn(BATCH, T, D_MODEL))
    positive = steps.pre_activation > 0
    kept = steps.hidden > 0

    assert not (kept & ~positive).any()
    assert 0.2 < (positive & ~kept).sum() / positive.sum() < 0.3
    assert_within(steps.hidden[kept], steps.pre_activation[kept] / 0.75, 1e-6)
    assert_within(steps.output, network.w_2(steps.hidden), 1e-6)


def test_the_weights_of_the_papers_size_have_the_shapes_of_the_notes() -> None:
    network = PositionwiseFeedForward(512, 2048)
    assert network.w_1.weight.shape == (2048, 512)
    assert network.w_1.bias.shape == (2048,)
    assert network.w_2.weight.shape == (512, 2048)
    assert network.w_2.bias.shape == (512,)
