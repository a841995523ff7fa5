"""Each symptom is really there, whichever cause makes it; each cause's line is true of that cause alone; and what tells
the causes apart does so."""

from collections.abc import Callable, Mapping
from functools import cache

import pytest
import torch
from torch import Tensor

from transformer_core.exercises.symptoms import validation
from transformer_core.exercises.symptoms.every_symptom import SYMPTOMS, both_lanes, numbers_of
from transformer_core.exercises.symptoms.not_a_number import READ
from transformer_core.exercises.symptoms.symptom import ShippedModels, State, Symptom, holds

SEEDS = range(0, 21, 4)  # of those that the page offers
FEW = (20,)  # of them, where a model is trained
TRAINED = ("stuck", "forced", "ends", "validation")
# What is less than the first number in every healthy state, and more than the second one in every ill one.
APPARENT: Mapping[str, tuple[Callable[[Mapping[str, float]], float], float, float]] = {
    "repeats": (lambda found: found["share"], 0.2, 0.3),
    "nan": (lambda found: found["share"], 0.01, 0.5),
    "stuck": (lambda found: found["share"], 0.5, 0.9),
    "forced": (lambda found: found["share_given"] - found["share_alone"], 0.1, 0.7),
    "rows": (lambda found: found["largest"], 1.001, 1.01),
    "ends": (lambda found: -found["words"], -2.5, -1.5),
    "alone": (lambda found: 1 - found["share_alone"], 0.1, 0.5),
    "validation": (lambda found: found["gap"], 0.02, 0.08),
}
every = pytest.mark.parametrize("symptom", SYMPTOMS.values(), ids=list(SYMPTOMS))


@cache
def models() -> ShippedModels:
    return ShippedModels.in_folder("assets/model")


@cache
def state(symptom: str, cause: str, seed: int) -> State:
    return SYMPTOMS[symptom].state(cause, seed, models())


def seeds(symptom: str) -> tuple[int, ...]:
    return FEW if symptom in TRAINED else tuple(SEEDS)


def causes(symptom: Symptom) -> list[str]:
    return [cause.name for cause in symptom.causes]


@every
def test_each_cause_makes_its_symptom_and_the_healthy_state_lacks_it(symptom: Symptom) -> None:
    judge, healthy, ill = APPARENT[symptom.name]
    for seed in seeds(symptom.name):
        for cause in ("", *causes(symptom)):
            found = {name: of(state(symptom.name, cause, seed)) for name, of in symptom.measured.items()}
            assert judge(found) > ill if cause else judge(found) < healthy, (cause, seed, found)


@every
def test_the_line_of_a_cause_is_true_of_this_cause_alone(symptom: Symptom) -> None:
    for seed in seeds(symptom.name):
        for made in ("", *causes(symptom)):
            found = [cause.name for cause in symptom.causes if holds(cause, state(symptom.name, made, seed))]
            assert found == [made] * bool(made), seed


def shown(symptom: str, cause: str, seed: int) -> Tensor:
    return SYMPTOMS[symptom].show(state(symptom, cause, seed))


def test_rows_of_what_repeats_are_equal_but_for_a_model_that_is_untrained() -> None:
    for seed in SEEDS:
        for cause in ("not_appended", "first_position"):
            rows = shown("repeats", cause, seed)
            torch.testing.assert_close(rows, rows[:1].expand_as(rows), atol=1e-4, rtol=1e-3)
        rows = shown("repeats", "untrained", seed)
        assert (rows - rows[:1]).abs().max() > 1e-3
        assert rows.max() < 0.6


def test_the_first_stage_with_a_nan_tells_its_cause() -> None:
    for seed in SEEDS:
        encoder, cross, logits, loss = shown("nan", "all_masked", seed).bool()
        assert encoder.tolist() == [False] * READ + [True] * (len(encoder) - READ)
        encoder, cross, logits, loss = shown("nan", "overflow", seed).bool()
        assert cross[:READ].all()
        assert not encoder.any()
        encoder, cross, logits, loss = shown("nan", "log_of_zero", seed).bool()
        assert loss.all()
        assert not (encoder | cross | logits).any()
        assert not shown("nan", "", seed).any()


def test_weights_that_stay_tell_of_the_optimiser_and_others_of_the_pairs() -> None:
    for seed in FEW:
        for cause, moves in (("no_rate", False), ("other_weights", False), ("mixed_pairs", True)):
            _, _, gradient, moved = shown("stuck", cause, seed).T
            assert gradient.min() > 0.05
            assert moved[-1] > 1 if moves else moved.max() < 0.01


def test_the_first_two_rows_tell_why_all_is_right_with_the_answer_given() -> None:
    for seed in FEW:
        found = {cause: shown("forced", cause, seed)[:2].mean(1) > 0.5 for cause in causes(SYMPTOMS["forced"])}
        assert found["no_mask"].tolist() == [True, False]
        assert found["unshifted"].tolist() == [True, True]
        assert found["padding_counted"].tolist() == [False, False]
        assert state("forced", "padding_counted", seed)["accuracy"] > 0.97


def test_sums_of_rows_tell_dropout_from_added_heads_and_sums_of_columns_tell_the_axis() -> None:
    for seed in SEEDS:
        sums = shown("rows", "dropped", seed)[:, -1]
        assert sums.min() < 0.99
        assert sums.max() > 1.01
        torch.testing.assert_close(shown("rows", "summed", seed)[:, -1], torch.full((10,), 4.0))
        torch.testing.assert_close(shown("rows", "wrong_axis", seed)[:, :-1].sum(0), torch.ones(10))


def test_the_first_step_tells_why_it_ends() -> None:
    for seed in FEW:
        right, end = shown("ends", "one_step", seed)[:, 0]
        assert right > 0.5 > end
        assert not shown("ends", "one_symbol", seed).any()
        right, end = shown("ends", "end_for_padding", seed)[:, 0]
        assert end > right > 0


def test_how_sure_it_is_tells_a_wrong_source_from_weights_that_are_missing() -> None:
    for seed in SEEDS:
        assert shown("alone", "last_token", seed)[0].min() > 0.5
        assert state("alone", "last_token", seed)["accuracy"] > 0.95
        for cause, sure in (("other_source", True), ("not_loaded", False)):
            assert state("alone", cause, seed)["accuracy"] < 0.5
            assert (shown("alone", cause, seed)[-1].mean() > 0.6) == sure


def test_what_a_program_makes_is_what_the_page_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    assert torch.equal(numbers_of("alone", "last_token", models(), 4), shown("alone", "last_token", 4))
    monkeypatch.setattr(validation, "EPOCHS", 2)
    monkeypatch.setattr(validation, "UPDATES", 3)
    made, of = both_lanes("validation", "averaged", models(), 4), SYMPTOMS["validation"]
    averaged, healthy = (of.show(of.state(cause, 4, models())) for cause in ("averaged", ""))
    assert torch.equal(made[:, :3], averaged)
    assert torch.equal(made[:, 3:], healthy[:, 1:])
    assert not torch.equal(averaged, healthy)


def test_pytorchs_own_attention_returns_such_rows_in_training_mode() -> None:
    """The app draws what is dropped from a generator; the module itself draws from the common stream."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        attention, x = torch.nn.MultiheadAttention(16, 4, dropout=0.4, batch_first=True), torch.randn(3, 7, 16)
        assert attention.train()(x, x, x)[1].sum(-1).max() > 1.01
        assert attention.eval()(x, x, x)[1].sum(-1).max() < 1.001


def test_pytorchs_own_loss_counts_padding_unless_it_is_told_which_token_that_is() -> None:
    logits, answers = torch.tensor([[0.0, 3.0, 0.0], [0.0, 0.0, 0.0]]), torch.tensor([1, 0])
    counted, ignored = torch.nn.CrossEntropyLoss(), torch.nn.CrossEntropyLoss(ignore_index=0)
    assert counted(logits, answers) > 5 * ignored(logits, answers)
