"""The sinusoidal position code: values, wavelengths, and the rotation that a shift is."""

import math

import pytest
import torch
from torch import nn

from tests.core.build import assert_within
from transformer_core import PositionalEncoding, position_code, shift_rotation, wavelengths
from transformer_core.positions import (
    concatenated,
    direct_frequencies,
    frequencies,
    order_gap,
    position_steps,
    product_at_distance,
)


def test_a_code_of_size_four_worked_by_hand() -> None:
    # Frequencies 1 and 1/100: d_model = 4, so 10000^(2/4) = 100.
    expected = [[0, 1, 0, 1]] + [
        [math.sin(pos), math.cos(pos), math.sin(pos / 100), math.cos(pos / 100)] for pos in (1, 2)
    ]
    assert_within(position_code(3, 4), torch.tensor(expected), 1e-6)


def test_the_steps_are_frequencies_then_angles_then_sines_and_cosines() -> None:
    steps = position_steps(3, 4)
    assert_within(steps.frequencies, torch.tensor([1, 0.01]), 1e-7)
    assert_within(steps.angles, torch.tensor([[0, 0], [1, 0.01], [2, 0.02]]), 1e-7)
    assert torch.equal(steps.code, position_code(3, 4))


def test_the_other_layout_has_all_sines_before_all_cosines() -> None:
    code = concatenated(position_code(9, 6))
    angles = position_steps(9, 6).angles
    assert torch.equal(code, torch.cat([angles.sin(), angles.cos()], dim=1))


def test_another_base_gives_other_frequencies() -> None:
    assert_within(frequencies(6, base=1000.0), torch.tensor([1.0, 0.1, 0.01]), 1e-7)


def test_the_plotted_dimensions_4_to_7_are_two_sine_and_cosine_pairs() -> None:
    code = position_code(100, 20, dtype=torch.float64)
    pos = torch.arange(100, dtype=torch.float64)
    assert_within(code[:, 4], (pos / 10000**0.2).sin(), 1e-13)
    assert_within(code[:, 5], (pos / 10000**0.2).cos(), 1e-13)
    assert_within(code[:, 6], (pos / 10000**0.3).sin(), 1e-13)
    assert_within(code[:, 7], (pos / 10000**0.3).cos(), 1e-13)


def test_values_stay_between_minus_one_and_one_and_each_pair_lies_on_the_unit_circle() -> None:
    code = position_code(5000, 20)
    assert code.abs().max() <= 1
    assert_within(code.unflatten(-1, (10, 2)).norm(dim=-1), torch.ones(5000, 10), 1e-6)


@pytest.mark.parametrize(("dtype", "relative"), [(torch.float32, 1e-5), (torch.float64, 1e-14)])
def test_the_exponential_form_of_the_frequencies_equals_the_power_up_to_rounding(
    dtype: torch.dtype, relative: float
) -> None:
    torch.testing.assert_close(
        frequencies(512, dtype=dtype), direct_frequencies(512, dtype=dtype), rtol=relative, atol=0
    )


def test_wavelengths_run_from_two_pi_towards_ten_thousand_times_two_pi() -> None:
    lengths = wavelengths(512)
    assert lengths[0].item() == pytest.approx(2 * math.pi)
    assert lengths[-1].item() == pytest.approx(2 * math.pi * 10000 ** (510 / 512))
    assert_within(lengths[1:] / lengths[:-1], torch.full((255,), 10000 ** (2 / 512), dtype=torch.float64), 1e-12)


def test_a_pair_repeats_after_its_wavelength() -> None:
    # With base 16 the two wavelengths are 2π and 8π. 176 = 8 · 22 is 28 and 7 of them, as nearly as 22/7 is π.
    assert wavelengths(4, base=16.0).tolist() == pytest.approx([2 * math.pi, 8 * math.pi])
    code = position_code(200, 4, base=16.0, dtype=torch.float64)
    assert_within(code[176:], code[:24], 0.08)


def test_a_rotation_keeps_lengths_and_its_inverse_is_the_shift_back() -> None:
    rotation = shift_rotation(5, 6)
    assert_within(rotation @ rotation.T, torch.eye(6, dtype=torch.float64), 1e-14)
    assert_within(shift_rotation(-5, 6), rotation.T, 1e-14)
    assert_within(shift_rotation(2, 6) @ shift_rotation(3, 6), rotation, 1e-14)


def test_the_product_of_two_codes_depends_on_their_distance_only() -> None:
    code = position_code(60, 20, dtype=torch.float64)
    products = code @ code.T
    for distance in (0, 1, 13):
        along = products.diagonal(distance)
        assert_within(along, product_at_distance(torch.tensor([distance]), 20).expand_as(along), 1e-12)


def test_the_order_gap_is_zero_for_what_cannot_tell_the_order_and_only_for_that() -> None:
    x, order = torch.randn(2, 5, 6), torch.tensor([3, 0, 4, 1, 2])
    assert torch.equal(order_gap(lambda x: 2 * x + x.amax(1, keepdim=True), x, order), torch.zeros(2, 5, 6))
    gap = order_gap(lambda x: x + position_code(5, 6), x, order)
    assert_within(gap, (position_code(5, 6) - position_code(5, 6)[order]).expand(2, 5, 6), 1e-6)


def test_no_two_of_five_thousand_positions_share_a_code() -> None:
    code = position_code(5000, 20)
    assert code.unique(dim=0).size(0) == 5000


def test_the_module_adds_the_first_rows_of_its_code() -> None:
    positions = PositionalEncoding(6, dropout=0.1, max_len=9).eval()
    x = torch.randn(2, 4, 6)
    assert positions.pe.shape == (1, 9, 6)
    assert_within(positions(x) - x, position_code(4, 6).expand(2, 4, 6), 1e-6)


def test_the_code_is_saved_but_not_trained() -> None:
    positions = PositionalEncoding(6, dropout=0.1, max_len=9)
    assert list(positions.state_dict()) == ["pe"]
    assert not list(positions.parameters())


def test_dropout_zeroes_a_share_p_and_divides_the_rest_by_one_minus_p() -> None:
    positions = PositionalEncoding(20, dropout=0.2, max_len=100)
    x = torch.full((3, 100, 20), 5.0)  # far from zero, so that a zero can only come from dropout
    dropped = positions(x)
    kept = dropped != 0

    assert kept.float().mean().item() == pytest.approx(0.8, abs=0.03)
    assert_within(dropped[kept], ((x + position_code(100, 20)) / 0.8)[kept], 1e-5)


def test_in_evaluation_mode_dropout_does_nothing() -> None:
    positions = PositionalEncoding(20, dropout=0.9).eval()
    assert torch.equal(positions(torch.zeros(1, 100, 20)), positions.pe[:, :100])


def test_training_does_not_move_the_code() -> None:
    positions = nn.Sequential(nn.Linear(6, 6), PositionalEncoding(6, dropout=0.0, max_len=9))
    before = position_code(9, 6).unsqueeze(0)
    adam = torch.optim.Adam(positions.parameters(), lr=0.1)
    positions(torch.randn(2, 4, 6)).square().sum().backward()
    adam.step()
    assert torch.equal(positions[1].get_buffer("pe"), before)
