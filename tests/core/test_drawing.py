"""Drawings held to the truth: distances and causes by hand, and what a link can say."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from tests.ui.test_settings import repeatable
from transformer_core.exercises.drawing import loss, rate, row, wave
from transformer_core.exercises.drawing.packed import FULL, MOST, NotADrawing, checked, even, packed, unpacked
from transformer_core.exercises.drawing.row import Attention, AttentionRow
from transformer_core.exercises.drawing.verdict import DrawingVerdict, rms, total_variation
from transformer_core.exercises.drawing.wave import Wave
from transformer_core.positions import position_code
from transformer_core.schedule import noam_rate
from transformer_core.train import train
from transformer_core.training.config import TrainConfig
from transformer_core.training.guess import floor_of, guess_of

SEEDS = some.integers(1, 999_999)
EVERY_KEY = np.ones(4, dtype=bool)


def names(verdict: DrawingVerdict) -> list[str]:
    return [cause.name for cause in verdict.causes]


def test_distances_by_hand() -> None:
    assert total_variation(np.array([0.5, 0.5, 0]), np.array([0.2, 0.5, 0.3])) == pytest.approx(0.3)
    assert total_variation(np.array([1.0, 0]), np.array([0.0, 1])) == 1
    assert rms(np.array([1.0, 2, 3, 4]), np.array([1.0, 2, 3, 2])) == 1


# ---------------------------------------------------------------- what a link says


@repeatable
@given(levels=some.lists(some.integers(0, FULL), min_size=1, max_size=40))
def test_a_drawing_comes_back_from_its_text(levels: list[int]) -> None:
    assert unpacked(packed(levels), len(levels)) == tuple(levels)
    assert len(packed(levels)) == 2 * len(levels)


@pytest.mark.parametrize("points", [1, 2, 3, 7, 9, 42])
def test_bars_that_begin_alike_share_all_there_is(points: int) -> None:
    assert sum(even(points)) == FULL
    assert max(even(points)) - min(even(points)) <= 1
    assert unpacked(packed(even(points)), points, shared=True) == even(points)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("0", "letters"), ("zz", "letters"), ("rt00", "letters"), ("-100", "letters"), ("nan!", "letters"),
        ("NaNaNa", "letters"), ("<script>", "letters"), ("０１", "letters"), ("0000", "points"), ("00" * 9, "points"),
        ("000000", "sum"), ("rsrsrs", "sum"),
    ],
)  # fmt: skip
def test_what_is_no_drawing_says_why(text: str, reason: str) -> None:
    with pytest.raises(NotADrawing) as no:
        unpacked(text, 3, shared=True)
    assert no.value.reason == reason


@pytest.mark.parametrize(
    "levels",
    [
        None,
        7,
        "0rs",
        {},
        [1, 2],
        [0.5, 1, 2],
        [True, 1, 2],
        [-1, 0, 0],
        [FULL + 1, 0, 0],
        [math.nan, 1, 2],
        [[1], 2, 3],
    ],
)
def test_what_a_browser_would_not_send_is_no_drawing(levels: object) -> None:
    with pytest.raises(NotADrawing):
        checked(levels, 3)


def test_a_drawing_has_no_more_points_than_a_sheet_can_have() -> None:
    with pytest.raises(NotADrawing):
        checked([0] * (MOST + 1), MOST + 1)


# ---------------------------------------------------------------- a row of attention


def test_a_row_that_is_near_is_right() -> None:
    truth = np.array([0.1, 0.7, 0.1, 0.1])
    found = row.judged(np.array([0.1, 0.65, 0.1, 0.15]), truth, EVERY_KEY, 0)
    assert found.distance == pytest.approx(0.05)
    assert found[1:] == (True, ())


@pytest.mark.parametrize(
    ("drawn", "cause"),
    [
        ([0.25, 0.25, 0.25, 0.25], "even"),
        ([0.8, 0.2, 0, 0], "itself"),
        ([0.1, 0.1, 0.8, 0], "elsewhere"),
        ([0, 1, 0, 0], "sharp"),
        ([0.2, 0.5, 0.2, 0.1], "blunt"),
    ],
)
def test_a_row_is_judged_by_its_cause(drawn: list[float], cause: str) -> None:
    found = row.judged(np.array(drawn), np.array([0.05, 0.7, 0.15, 0.1]), EVERY_KEY, 0)
    assert not found.right
    assert names(found) == [cause, "moved"]
    assert found.causes[0].values["best"] == 1


def test_what_is_drawn_on_a_masked_word_is_told_first_even_where_the_rest_is_right() -> None:
    truth, allowed = np.array([0.9, 0.1, 0, 0]), np.array([True, True, False, False])
    found = row.judged(np.array([0.85, 0.1, 0, 0.05]), truth, allowed, 1)
    assert (found.right, names(found)) == (False, ["masked"])
    assert found.causes[0].values == {"best": 3, "share": pytest.approx(0.05)}
    far = row.judged(np.array([0.1, 0.1, 0.2, 0.6]), truth, allowed, 1)
    assert names(far)[0] == "masked"


def test_where_most_is_missing_and_most_is_too_much() -> None:
    found = row.judged(np.array([0.6, 0.1, 0.3, 0]), np.array([0.1, 0.2, 0.1, 0.6]), EVERY_KEY, None)
    moved = found.causes[-1].values
    assert (moved["less"], moved["less_drawn"], moved["less_true"]) == (3, 0, 0.6)
    assert (moved["more"], moved["more_drawn"], moved["more_true"]) == (0, 0.6, 0.1)


def attention(*rows: list[float]) -> Attention:
    weights = np.array(rows)
    return Attention("encoder", 0, weights[None], weights > 0)


def test_a_seed_asks_for_a_row_that_says_something() -> None:
    """Of the second row the heaviest weight has 0.9 · 3 even shares, of the first 1.2; the last has nowhere to look."""
    of = attention([0.4, 0.3, 0.3], [0.05, 0.9, 0.05], [1, 0, 0])
    assert {row.asked([of], seed) for seed in range(20)} == {AttentionRow("encoder", 0, 0, 1)}


def test_of_a_model_that_has_learned_nothing_any_row_may_be_asked_for_but_none_with_one_key() -> None:
    flat = attention([0.4, 0.3, 0.3], [0.3, 0.4, 0.3], [1, 0, 0])
    assert {place.row for seed in range(20) if (place := row.asked([flat], seed))} == {0, 1}
    assert row.asked([attention([1, 0], [0, 1])], 1) is None


# ---------------------------------------------------------------- a wave

EIGHT_TWO = Wave("positions", 8, 2)  # sin(pos / 10), 62.8 positions long
FOUR = Wave("positions", 16, 2)  # sin(pos / 10000^(1/8)), 19.9 long


@repeatable
@given(seed=SEEDS)
def test_a_wave_is_a_part_of_the_cores_own_code_and_can_be_drawn(seed: int) -> None:
    of = wave.asked(seed)
    code = position_code(wave.LENGTH, of.d_model)
    assert wave.code_of(*of).tolist() == (code[:, of.at] if of.over == "positions" else code[of.at]).tolist()
    assert len(of.x) == len(wave.code_of(*of)) <= MOST
    if of.over == "positions":
        assert wave.SHORTEST <= of.wavelength <= wave.LONGEST
    right = wave.code_of(*of).double().numpy()
    assert wave.judged(of, right) == (0, True, ())


@repeatable
@given(seed=SEEDS)
def test_each_slip_of_a_wave_is_named(seed: int) -> None:
    of = wave.asked(seed)
    slips = wave.slips(of)
    assert {"swapped", "upside_down"} <= slips.keys()
    for name, curve in slips.items():
        first = wave.judged(of, curve).causes[0].name
        assert first == name or np.allclose(curve, slips[first]), name


def test_a_dimension_by_hand() -> None:
    """Dimension 2 of 16 has the power 2 / 16, so sin(pos / 3.1623)."""
    expected = [math.sin(position / 10000 ** (1 / 8)) for position in range(wave.LENGTH)]
    assert wave.code_of(*FOUR).tolist() == pytest.approx(expected, abs=1e-5)
    assert FOUR.wavelength == pytest.approx(2 * math.pi * 10**0.5)
    assert EIGHT_TWO.wavelength == pytest.approx(20 * math.pi)


@pytest.mark.parametrize(
    ("times", "height", "cause"), [(1.6, 1, "fast"), (0.6, 1, "slow"), (1, 0.5, "low"), (2.2, 0.9, "fast")]
)
def test_a_wave_of_another_frequency_or_height_is_told_so(times: float, height: float, cause: str) -> None:
    drawn = height * np.sin(times * FOUR.x / 10**0.5)
    found = wave.judged(FOUR, drawn)
    assert names(found)[0] == cause
    values = found.causes[0].values
    if cause == "low":
        assert values["drawn"] == pytest.approx(height, abs=0.02)
    else:
        assert values["drawn"] == pytest.approx(FOUR.wavelength / times, rel=0.03)
        assert values["times"] == pytest.approx(max(times, 1 / times), rel=0.03)


def test_what_is_no_wave_is_told_so() -> None:
    assert names(wave.judged(FOUR, np.zeros(25)))[0] == "flat"
    assert names(wave.judged(FOUR, np.where(FOUR.x % 2, 1.0, -0.2)))[0] == "no_wave"
    assert names(wave.judged(FOUR, np.linspace(0.9, -1, 25)))[0] == "start"
    later = Wave("dimensions", 8, 3)
    halves = np.concatenate([later.of(position_code(25, 8))[:4], [1, 0, 1, 0]])
    assert names(wave.judged(later, halves))[0] == "late"


# ---------------------------------------------------------------- a learning rate

PAPER = rate.RateTask(512, 4000, 20_000)


@repeatable
@given(seed=SEEDS)
def test_the_peak_of_a_rate_is_a_point_of_its_sheet_and_has_room(seed: int) -> None:
    of = rate.asked(seed)
    numbers = rate.rates(*of)
    assert numbers[:, 0].tolist() == of.x.tolist()
    assert of.x[numbers[:, 1].argmax()] == of.warmup
    assert 1.5 <= of.top / numbers[:, 1].max() <= 4
    assert rate.judged(of, numbers[:, 1]) == (0, True, ())


def test_the_papers_rate_by_hand() -> None:
    """1/√(512 · 4000) = 0.000699 at step 4000, and half of it at 16000."""
    steps, rates = rate.rates(*PAPER).T
    assert rates[4] == pytest.approx(1 / math.sqrt(512 * 4000))
    assert (steps[16], rates[16]) == (16_000, pytest.approx(rates[4] / 2))
    assert rates[2] == pytest.approx(rates[4] / 2)
    assert PAPER.top == 0.002


PEAK = noam_rate(4000, 512)
PART = PAPER.x / 20_000


@pytest.mark.parametrize(
    ("drawn", "cause"),
    [
        (np.zeros(21), "zero"),
        (PEAK * (1 - PART), "no_warmup"),
        (PEAK * np.minimum(1, 5 * PART), "stays"),
        (PEAK * PART, "rises"),
        (np.array([noam_rate(int(step), 512, warmup=1000) for step in PAPER.x]) / 2, "early"),
        (np.array([noam_rate(int(step), 512, warmup=9000) for step in PAPER.x]), "late"),
        (2 * rate.rates(*PAPER)[:, 1], "high"),
        (0.5 * rate.rates(*PAPER)[:, 1], "low"),
        (PEAK * np.minimum(5 * PART, (1 - PART) / 0.8), "to_zero"),
    ],
)
def test_a_rate_is_judged_by_its_cause(drawn: np.ndarray, cause: str) -> None:
    found = rate.judged(PAPER, drawn)
    assert not found.right
    assert names(found)[0] == cause


def test_how_many_times_too_high_a_peak_is() -> None:
    (cause, *_) = rate.judged(PAPER, 2 * rate.rates(*PAPER)[:, 1]).causes
    assert cause.values["times"] == pytest.approx(2)


# ---------------------------------------------------------------- a loss


def test_a_loss_around_a_place_is_the_mean_of_the_updates_nearest_to_it() -> None:
    """Of 40 updates the places are 0, 2, 4 …; to update 2 are nearest 1 (as near to 0, which stands alone) and 2."""
    step, values = np.arange(41), np.arange(41.0)
    found = loss.around(step, values, 40)
    assert found[0] == 0
    assert found[1] == pytest.approx((1 + 2 + 3) / 3)
    assert found[2] == pytest.approx((4 + 5) / 2)
    assert len(found) == loss.PARTS + 1
    thin = loss.around(np.array([0, 10, 40]), np.array([3.0, 2, 1]), 40)
    assert (thin[0], thin[5], thin[20]) == (3, 2, 1)
    assert np.isfinite(thin).all()


PLAIN = TrainConfig()
LEARNED = np.concatenate([[2.4, 2.3, 2.3, 2.2, 2.0, 1.7, 1, 0.4, 0.1, 0.1], np.full(11, 0.05)])
FLAT = np.full(21, 2.3)


def test_a_loss_that_is_near_is_right() -> None:
    assert guess_of(PLAIN) == pytest.approx(math.log(10))
    found = loss.judged(PLAIN, LEARNED + 0.1, LEARNED)
    assert found.distance == pytest.approx(0.1)
    assert found[1:] == (True, ())


@pytest.mark.parametrize(
    ("drawn", "truth", "cause"),
    [
        (np.linspace(0.5, 0, 21), LEARNED, "start"),
        (np.linspace(2.3, 3, 21), LEARNED, "rises"),
        (FLAT, LEARNED, "doubtful"),
        (LEARNED, FLAT, "hopeful"),
        (np.linspace(2.4, 0, 21), LEARNED, "straight"),
        (np.concatenate([[2.4, 0.5], np.full(19, 0.05)]), LEARNED, "early"),
        (np.concatenate([FLAT[:14], np.full(7, 0.05)]), LEARNED, "late"),
    ],
)
def test_a_loss_is_judged_by_its_cause(drawn: np.ndarray, truth: np.ndarray, cause: str) -> None:
    found = loss.judged(PLAIN, drawn, truth)
    assert not found.right
    assert names(found)[0] == cause


def test_below_what_noise_costs_no_loss_can_end() -> None:
    noisy = TrainConfig(noise=0.3)
    truth = np.maximum(LEARNED, floor_of(noisy))
    found = loss.judged(noisy, LEARNED, truth)
    assert names(found)[0] == "below_floor"
    assert found.causes[0].values["floor"] == pytest.approx(floor_of(noisy))


def test_every_recipe_is_asked_for_and_costs_no_more_than_the_defaults() -> None:
    found = dict(loss.asked(seed) for seed in range(1, 60))
    assert found.keys() == loss.RECIPES.keys()
    for recipe, config in found.items():
        assert (config.steps, config.batch, config.d_model) == (PLAIN.steps, PLAIN.batch, PLAIN.d_model)
        assert all(getattr(config, name) == value for name, value in loss.RECIPES[recipe].items())
        assert loss.places(config.steps)[-1] == config.steps


def test_a_run_judged_by_itself_is_right() -> None:
    config = TrainConfig(d_model=8, h=1, steps=25, batch=4, length=4)
    reports = list(train(config))
    found = loss.around(np.array([one.step for one in reports]), np.array([one.loss for one in reports]), config.steps)
    assert loss.judged(config, found, found) == (0, True, ())
    assert found[0] == pytest.approx(reports[0].loss)


def test_a_seed_means_the_same_question_for_ever() -> None:
    """Links of a release say the seed alone."""
    assert wave.asked(1) == Wave("dimensions", 12, 2)
    assert wave.asked(9) == Wave("positions", 64, 11)
    assert [rate.asked(seed) for seed in (1, 2)] == [rate.RateTask(256, 1000, 2500), rate.RateTask(128, 4000, 20_000)]
    assert [(recipe, config.seed) for recipe, config in map(loss.asked, (1, 2))] == [("wide", 9543), ("plain", 577)]
    rows = attention([0.4, 0.3, 0.3], [0.3, 0.4, 0.3], [0.3, 0.3, 0.4])
    assert [row.asked([rows], seed) for seed in (2, 3)] == [
        AttentionRow("encoder", 0, 0, 1),
        AttentionRow("encoder", 0, 0, 2),
    ]
