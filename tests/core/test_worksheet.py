"""The tasks of the worksheet: right by hand for one seed each, and no mistake leads to the right number for any."""

import math
from collections.abc import Mapping
from itertools import combinations
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as some

from tests.ui.test_settings import repeatable
from transformer_core.exercises.worksheet import TASKS, adamw, attention, beam, layer_norm, loss, softmax
from transformer_core.exercises.worksheet.exercise import Exercise, ExerciseKind

SEEDS = some.integers(0, 999_999)


def right(exercise: Exercise[Any]) -> dict[str, float]:
    return {blank.place: blank.right for blank in exercise.blanks}


def of(task: ExerciseKind[Any], givens: object) -> dict[str, float]:
    """What is right of these givens."""
    return {blank.place: blank.right for blank in task.blanks(givens)}


def slips(task: ExerciseKind[Any], givens: object, place: str) -> Mapping[str, float]:
    return next(blank.slips for blank in task.blanks(givens) if blank.place == place)


@pytest.mark.parametrize("task", TASKS.values(), ids=TASKS)
@repeatable
@given(seed=SEEDS)
def test_no_mistake_leads_to_the_right_number_nor_two_to_the_same(task: ExerciseKind[Any], seed: int) -> None:
    """So each is known for what it is, rounded to two decimals."""
    for blank in task.exercise(seed).blanks:
        assert math.isfinite(blank.right)
        for one, other in combinations((blank.right, *blank.slips.values()), 2):
            assert abs(one - other) > 2 * blank.tolerance
        assert blank.judged(f"{blank.right:.2f}").kind == "right"
        for slip, value in blank.slips.items():
            assert blank.judged(f"{value:.2f}") == ("slip", slip)


@pytest.mark.parametrize("task", TASKS.values(), ids=TASKS)
def test_a_seed_means_the_same_numbers_for_ever_and_another_one_others(task: ExerciseKind[Any]) -> None:
    first, again, second = (right(task.exercise(seed)) for seed in (1, 1, 2))
    assert first == again
    assert first != second


@pytest.mark.parametrize("task", TASKS.values(), ids=TASKS)
def test_each_mistake_of_a_task_shows_in_each_of_its_exercises(task: ExerciseKind[Any]) -> None:
    found = [{slip for blank in task.exercise(seed).blanks for slip in blank.slips} for seed in range(5)]
    assert all(slips == found[0] for slips in found)
    assert len(found[0]) >= 5


def test_a_row_of_attention_by_hand() -> None:
    """q·k = 2, −2, 0 and, masked, 4; over √4: 1, −1, 0, 2."""
    q, k = torch.tensor([[1.0, 1, 0, 2]]), torch.tensor([[2.0, 0, 1, 0], [0, -2, 1, 0], [0, 0, 1, 0], [0, 0, 1, 2]])
    v, mask = torch.tensor([[1.0, 0], [0, 1], [2, 2], [9, 9]]), torch.tensor([[True, True, True, False]])
    e = math.e
    total = e + 1 / e + 1
    found = of(attention.ATTENTION, attention.AttentionGivens(q, k, v, mask))
    scores, weights = [1, -1, 0, 2], [e / total, 1 / e / total, 1 / total, 0]
    output = [weights[0] + 2 * weights[2], weights[1] + 2 * weights[2]]
    assert [*found.values()] == pytest.approx([*scores, *weights, *output], abs=1e-6)
    bad = attention.ATTENTION, attention.AttentionGivens(q, k, v, mask)
    assert slips(*bad, "s₁") == pytest.approx({"no_scale": 2, "by_d": 0.5, "transposed": 1.0})
    assert slips(*bad, "α₄") == pytest.approx({"no_mask": e**2 / (total + e**2), "zero_score": 1 / (total + 1)})
    assert slips(*bad, "α₁")["mask_after"] == pytest.approx(e / (total + e**2))


def test_a_layer_norm_by_hand() -> None:
    """Mean 3; the squares of −2, −2, −1, 1 and 4 sum to 26, and the root of 26/4 is the spread."""
    x = torch.tensor([1.0, 1, 2, 4, 7], dtype=torch.float64)
    gain, shift = torch.tensor([2.0, 1, 1, 1, 3]).double(), torch.tensor([1.0, 0, 0, 0, -1]).double()
    task = layer_norm.LAYER_NORM, layer_norm.LayerNormGivens(x, gain, shift)
    spread = math.sqrt(26 / 4)
    output = [-4 / spread + 1, -2 / spread, -1 / spread, 1 / spread, 12 / spread - 1]
    assert [*of(*task).values()] == pytest.approx([3, spread, *output], abs=1e-5)
    assert slips(*task, "σ") == pytest.approx({"biased": math.sqrt(26 / 5), "no_root": 26 / 4}, abs=1e-5)
    assert slips(*task, "μ") == {"short_mean": 15 / 4}
    assert slips(*task, "y₁")["swapped"] == pytest.approx(-2 / spread + 2, abs=1e-5)


def test_a_softmax_by_hand() -> None:
    """Of ln 1, ln 2, ln 5: 1/8, 2/8, 5/8."""
    task = softmax.SOFTMAX, softmax.SoftmaxGivens((1, 2, 5))
    jacobian = [7, -2, -5, -2, 12, -10, -5, -10, 15]
    assert [*of(*task).values()] == pytest.approx([1 / 8, 2 / 8, 5 / 8, *(entry / 64 for entry in jacobian)])
    assert slips(*task, "p₂") == pytest.approx(
        {"no_exp": math.log(2) / math.log(10), "by_largest": 2 / 5, "not_divided": 2}
    )
    assert slips(*task, "∂p₂/∂x₂") == pytest.approx({"outer_only": -4 / 64, "no_outer": 16 / 64, "plus": 20 / 64})


def test_a_row_of_the_loss_by_hand() -> None:
    """Smoothing 0.2 over two other tokens; B is right, with a probability of 0.5."""
    task = loss.LOSS, loss.LossGivens((1, 2, 5, 2), 2, 0.2)
    assert [*of(*task).values()] == pytest.approx([0, 0.1, 0.8, 0.1, 0.1, 0.1, -0.3, 0.1, math.log(2)], abs=1e-6)
    assert slips(*task, "t(A)") == pytest.approx({"not_smoothed": 0, "over_padding": 0.2 / 3, "over_all": 0.05})
    assert slips(*task, "−ln p") == pytest.approx(
        {"log_two": 1, "log_ten": math.log10(2), "no_minus": -math.log(2), "one_minus_p": 0.5}
    )


def test_a_step_of_adamw_by_hand() -> None:
    """From m = 0.2 and v = 0.08, left by a gradient of 2, with one of −3."""
    task = adamw.ADAMW, adamw.AdamWGivens(4.0, -3.0, 2.0)
    m, v = 0.9 * 0.2 - 0.1 * 3, 0.98 * 0.08 + 0.02 * 9
    step = (m / 0.19) / math.sqrt(v / 0.0396)
    assert [*of(*task).values()] == pytest.approx([m, v, m / 0.19, v / 0.0396, 4 - 0.5 * (step + 0.4)])
    assert slips(*task, "m") == pytest.approx({"swapped": -2.68, "no_memory": -0.3, "l2": 0.18 - 0.1 * 2.6})
    assert slips(*task, "m̂")["not_corrected"] == pytest.approx(m)
    assert slips(*task, "w")["no_decay"] == pytest.approx(4 - 0.5 * step)


def test_a_beam_of_two_by_hand() -> None:
    """A is likelier than B at first, but B A is likelier than anything after A; C does not stay."""
    task = beam.BEAM, beam.BeamGivens(((3, 4, 3), (8, 1, 1), (1, 1, 8), (5, 4, 1)))
    result = [0.32, math.log(0.32), math.log(0.32) * 6 / 7]
    assert [*of(*task).values()] == pytest.approx([0.15, 0.2, 0.15, 0.32, 0.04, 0.04, *result])
    assert beam.steps(task[1]).words == (1, 0)
    assert slips(*task, "B A") == pytest.approx({"sum": 1.2, "last_alone": 0.8})
    assert slips(*task, "p") == pytest.approx({"greedy": 0.2})
    assert slips(*task, "s")["times"] == pytest.approx(math.log(0.32) * 7 / 6)


@repeatable
@given(seed=SEEDS)
def test_the_beam_finds_what_the_likeliest_first_word_hides(seed: int) -> None:
    exercise = beam.BEAM.exercise(seed)
    found, table = beam.steps(exercise.givens), exercise.givens.table
    every = table[beam.BEGIN].unsqueeze(1) * table[: beam.BEGIN]
    assert found.log_prob == pytest.approx(float(every.max().log()))
    assert found.words[0] == found.kept[1]
