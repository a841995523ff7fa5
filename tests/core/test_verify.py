"""Every check holds on models trained and not, and each break is caught by the checks that it must be caught by."""

from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
import torch
from torch import Tensor

from tests.core.build import D_MODEL, S, T, padded
from transformer_core import (
    MultiHeadedAttention,
    greedy_decode,
    padding_mask,
    record,
    subsequent_mask,
)
from transformer_core.training.checkpoint import load
from transformer_core.training.config import TrainConfig
from transformer_core.training.models import fresh_model
from transformer_core.verify.broken import BROKEN, Break, broken
from transformer_core.verify.checks import CHECKS, Check, Subject, checked
from transformer_core.verify.samples import gap, small_model, worst

MODELS = Path(__file__).parents[2] / "assets" / "model"
OF_THE_MODEL = [check for check in CHECKS if check.of_the_model]
EVERY = pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.name)
TINY = TrainConfig(vocab=9, length=6, d_model=16, h=2)


@cache
def subject(name: str) -> Subject:
    if name in ("copy", "translate"):
        model = load(MODELS / f"{name}.safetensors").model
    else:
        model = fresh_model(replace(TINY, norm_first=name != "post-norm", scale=name != "without scale")).eval()
    src = torch.tensor([[1, 4, 2, 7, 7, 3]])
    return Subject(model, src, greedy_decode(model, src, padding_mask(src), max_len=6))


@EVERY
def test_a_check_holds(check: Check) -> None:
    assert check.measure(subject("copy")) <= check.tolerance


@pytest.mark.parametrize("name", ["translate", "untrained", "post-norm", "without scale"])
def test_what_is_checked_of_a_model_holds_for_each(name: str) -> None:
    assert [check.name for check in OF_THE_MODEL if not check.holds(check.measure(subject(name)))] == []


@pytest.mark.parametrize(
    ("how", "catching"),
    [
        ("scale", "attention encoder_layer decoder_layer transformer notes by_hand own_parity own_gradients"),
        ("mask", "attention decoder_layer transformer notes by_hand own_parity own_gradients causality steps"),
        (
            "axis",
            "attention encoder_layer decoder_layer transformer notes by_hand own_parity own_gradients rows causality "
            "padding steps",
        ),
    ],
)
@pytest.mark.parametrize("name", ["copy", "untrained"])
def test_a_break_is_caught_by_these_checks_and_by_no_other(how: Break, catching: str, name: str) -> None:
    of_the_code = [] if name != "copy" else [check for check in CHECKS if not check.of_the_model]
    wanted = [*of_the_code, *OF_THE_MODEL]
    errors = {check.name: check.measure(subject(name)._replace(how=how)) for check in wanted}
    caught = [check.name for check in wanted if not check.holds(errors[check.name])]
    assert caught == [check.name for check in wanted if check.name in catching.split()]
    assert all(errors[name] > 1e-3 for name in caught)  # a mistake, and no rounding


def weights(how: Break) -> Tensor:
    """Three positions that are all alike, under the look-ahead mask: (3, 3)."""
    attention = broken(MultiHeadedAttention(1, 4), how).eval()
    x = torch.ones(1, 3, 4)
    with record(attention) as trace:
        attention(x, x, x, subsequent_mask(3))
    return trace["weights"][0, 0].detach()


def test_the_weights_of_three_positions_that_are_alike_worked_by_hand() -> None:
    half, third = 0.5, 1 / 3
    expected: dict[Break, list[list[float]]] = {
        "none": [[1, 0, 0], [half, half, 0], [third] * 3],
        "scale": [[1, 0, 0], [half, half, 0], [third] * 3],
        "mask": [[half, half, 0], [third] * 3, [third] * 3],
        "axis": [[third, 0, 0], [third, half, 0], [third, half, 1]],
    }
    for how, right in expected.items():
        torch.testing.assert_close(weights(how), torch.tensor(right, dtype=torch.float32), rtol=0, atol=1e-5)


def test_without_the_scale_the_scores_are_the_products() -> None:
    attention, x = broken(MultiHeadedAttention(2, 8), "scale"), torch.randn(1, 3, 8)
    with record(attention) as trace:
        attention(x, x, x)
    assert torch.equal(trace["scores"], trace["products"])


def test_a_mask_with_one_row_for_all_queries_cannot_be_off_by_one() -> None:
    attention = MultiHeadedAttention(4, D_MODEL).eval()
    x, memory, mask = torch.randn(1, T, D_MODEL), torch.randn(1, S, D_MODEL), padding_mask(padded([4], S, 9))
    assert torch.equal(broken(attention, "mask")(x, memory, memory, mask), attention(x, memory, memory, mask))


def test_a_small_model_is_a_function_of_its_seed_alone() -> None:
    first = small_model().state_dict()
    torch.manual_seed(7)
    assert all(torch.equal(value, first[name]) for name, value in small_model().state_dict().items())
    other = small_model(seed=1).state_dict()
    assert not any(torch.equal(value, first[name]) for name, value in other.items() if not name.endswith(".pe"))


@pytest.mark.parametrize("how", BROKEN)
def test_only_the_copy_is_broken_and_it_shares_the_weights(how: Break) -> None:
    model = small_model()
    src = padded([S], S, 9)
    before = model.encode(src, None)
    twin = broken(model, how)
    assert not torch.equal(twin.encode(src, None), before) or how == "mask"  # there is none here
    assert torch.equal(model.encode(src, None), before)
    assert type(model.encoder.layers[0].self_attn) is MultiHeadedAttention
    assert [p.data_ptr() for p in twin.parameters()] == [p.data_ptr() for p in model.parameters()]
    assert broken(model, "none") is model


def test_checking_leaves_the_model_and_the_global_seed_as_they_were() -> None:
    model, src, tgt, _ = subject("untrained")
    seed, state = torch.get_rng_state(), {name: value.clone() for name, value in model.state_dict().items()}
    assert checked(model, src, tgt).keys() == {check.name for check in CHECKS}
    assert torch.equal(torch.get_rng_state(), seed)
    assert all(torch.equal(value, state[name]) for name, value in model.state_dict().items())


def test_what_is_no_number_holds_nothing() -> None:
    nothing, one = torch.full((2,), torch.nan), torch.ones(2)
    assert all(torch.isnan(torch.tensor(found)) for found in (gap(nothing, one), gap(one, nothing)))
    for errors in ([float("nan"), 0.0], [0.0, float("nan")]):
        assert not any(check.holds(worst(errors)) for check in CHECKS)
    with pytest.raises(ValueError, match="cannot be compared"):
        gap(torch.ones(2), torch.ones(2, 1))


def test_a_gap_is_in_units_of_the_largest_entry_that_is_expected_and_never_of_less_than_one() -> None:
    assert gap(torch.tensor([1.0, 9.0]), torch.tensor([0.0, 10.0])) == pytest.approx(0.1)
    assert gap(torch.tensor([0.25]), torch.tensor([0.5])) == 0.25
