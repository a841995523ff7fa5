"""Sampling: what is drawn from, and what is drawn."""

import itertools
import math

import pytest
import torch
from torch import Tensor

from tests.core.build import SRC_VOCAB, TGT_VOCAB, S, padded
from transformer_core import greedy_steps, padding_mask
from transformer_core.decoding.sampling import drawn, sampled_turns, sampling_steps
from transformer_core.verify.samples import small_model

LENGTH = 8
LOGITS = torch.tensor([2.0, 0.5, 1.0, -1.0, 0.0], dtype=torch.float64)


def greedy(prefix: list[int] | None = None) -> list[int]:
    src = source()
    *_, last = greedy_steps(small_model(), src, padding_mask(src), LENGTH, prefix=prefix or [])
    return [*last.ys[0].tolist(), int(last.choice)]


def source() -> Tensor:
    return padded([5], S, SRC_VOCAB, torch.Generator().manual_seed(3))


def sampled(
    seed: int = 0,
    prefix: list[int] | None = None,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float = 1.0,
) -> list[int]:
    src, generator = source(), torch.Generator().manual_seed(seed)
    mask, how = padding_mask(src), (temperature, top_k, top_p)
    *_, last = sampled_turns(small_model(), src, mask, LENGTH, generator, *how, prefix=prefix or [])
    return [*last.ys[0].tolist(), last.choice]


def test_numbers_that_can_be_checked_by_hand() -> None:
    shares = torch.tensor([0.5, 0.12, 0.25, 0.05, 0.08], dtype=torch.float64)
    plain = sampling_steps(shares.log())
    for step in plain:
        torch.testing.assert_close(step, shares)
    squared = shares**2 / (shares**2).sum()  # T = 1/2 squares what T = 1 gives
    torch.testing.assert_close(sampling_steps(shares.log(), 0.5).tempered, squared)
    two = sampling_steps(shares.log(), top_k=2)
    torch.testing.assert_close(two.top_k, torch.tensor([2 / 3, 0, 1 / 3, 0, 0], dtype=torch.float64))
    # 0.5 and 0.25 do not reach 0.8; with 0.12 they do
    most = sampling_steps(shares.log(), top_p=0.8).nucleus
    torch.testing.assert_close(most, torch.tensor([0.5, 0.12, 0.25, 0, 0], dtype=torch.float64) / 0.87)
    # of four that are equal, 1/4 on every processor, the first two reach 0.3
    assert sampling_steps(torch.zeros(4, dtype=torch.float64), top_p=0.3).nucleus.tolist() == [0.5, 0.5, 0, 0]
    # of the two that top-k has left the first has 2/3 and so reaches 0.6 alone
    assert sampling_steps(shares.log(), top_k=2, top_p=0.6).nucleus.tolist() == pytest.approx([1, 0, 0, 0, 0])


@pytest.mark.parametrize("temperature", [0, 0.3, 1, 4])
@pytest.mark.parametrize("top_k", [None, 1, 3, 5, 99])
@pytest.mark.parametrize("top_p", [0, 0.4, 0.9, 1])
def test_every_step_is_a_distribution_and_none_changes_the_order(
    temperature: float, top_k: int | None, top_p: float
) -> None:
    before = torch.randn(3, 5, dtype=torch.float64)
    for step in sampling_steps(before, temperature, top_k, top_p):
        torch.testing.assert_close(step.sum(-1), torch.ones(3, dtype=torch.float64))
        assert bool((step >= 0).all())
        sorted_ = step.gather(-1, before.argsort(-1, descending=True))
        assert bool((sorted_.diff(dim=-1) <= 0).all())


def test_the_colder_the_more_the_likeliest_gets_and_without_end_the_shares_become_equal() -> None:
    largest = [float(sampling_steps(LOGITS, t).tempered.max()) for t in (0, 1e-40, 0.01, 0.5, 1, 2, 50, 1e6)]
    assert largest[:3] == pytest.approx([1, 1, 1])
    assert sorted(largest[2:], reverse=True) == largest[2:]
    assert largest[-1] == pytest.approx(1 / 5, abs=1e-5)
    for cold in (0, 5e-324):
        assert sampling_steps(torch.tensor([1.0, 3.0, 3.0]), cold).nucleus.tolist() == [0, 0.5, 0.5]


def test_the_logits_and_their_log_probabilities_are_drawn_from_alike() -> None:
    for ours, theirs in zip(sampling_steps(LOGITS, 0.7, 3, 0.9), sampling_steps(LOGITS.log_softmax(-1), 0.7, 3, 0.9)):
        torch.testing.assert_close(ours, theirs)


@pytest.mark.parametrize(
    ("temperature", "top_k", "top_p"), [(0.0, None, 1.0), (1e-12, None, 1.0), (1.0, 1, 1.0), (1.0, None, 0.0)]
)
@pytest.mark.parametrize("prefix", [[], [5, 3]])
def test_without_a_choice_it_is_greedy_decoding(
    temperature: float, top_k: int | None, top_p: float, prefix: list[int]
) -> None:
    assert {tuple(sampled(seed, prefix, temperature, top_k, top_p)) for seed in range(3)} == {tuple(greedy(prefix))}


def test_with_all_tokens_and_the_whole_sum_it_is_plain_sampling() -> None:
    src = source()
    turns = list(sampled_turns(small_model(), src, padding_mask(src), LENGTH, top_k=TGT_VOCAB, top_p=1))
    for turn in turns:
        for step in turn.steps:
            torch.testing.assert_close(step, turn.log_probs.exp())
        assert turn.choice == drawn(turn.log_probs.exp(), turn.number)
    for seed in range(3):
        assert sampled(seed, top_k=TGT_VOCAB, top_p=1) == sampled(seed)


def test_a_number_draws_the_token_in_whose_stretch_it_lies() -> None:
    shares = torch.tensor([0.25, 0.0, 0.5, 0.25])
    drawn_with = {0.0: 2, 0.49: 2, 0.5: 0, 0.74: 0, 0.75: 3, 0.999999999: 3}
    assert {number: drawn(shares, number) for number in drawn_with} == drawn_with
    assert drawn(torch.tensor([1 / 3] * 3), 1 - 2**-53) == 2  # whatever the rounded sum is
    for number in (-0.1, 1.0, float("nan")):
        with pytest.raises(ValueError, match="less than 1"):
            drawn(shares, number)


def test_tokens_are_drawn_as_often_as_their_probabilities_say() -> None:
    shares = sampling_steps(LOGITS, 1.5, 4, 0.95).nucleus
    numbers = torch.rand(4000, generator=torch.Generator().manual_seed(1), dtype=torch.float64).tolist()
    counts = torch.bincount(torch.tensor([drawn(shares, number) for number in numbers]), minlength=5)
    spread = (shares * (1 - shares) / len(numbers)).sqrt()
    assert bool(((counts / len(numbers) - shares).abs() <= 5 * spread).all())
    assert counts[shares == 0].tolist() == [0]


def test_a_seed_draws_the_same_again_and_another_seed_another_output() -> None:
    outputs = [tuple(sampled(seed, temperature=3)) for seed in range(6)]
    assert outputs == [tuple(sampled(seed, temperature=3)) for seed in range(6)]
    assert len(set(outputs)) > 1


def test_a_turn_has_its_number_whatever_was_written_before_it() -> None:
    src = source()
    loops = [
        list(sampled_turns(small_model(), src, None, LENGTH, torch.Generator().manual_seed(2), prefix=prefix))
        for prefix in ([], [5], [5, 3, 3])
    ]
    for one, other in itertools.pairwise(loops):
        assert [turn.number for turn in one] == [turn.number for turn in other]
    assert loops[2][3].ys.tolist() == [[1, 5, 3, 3]]


def test_it_ends_with_the_end_symbol() -> None:
    src, end = source(), greedy()[2]
    *_, last = sampled_turns(small_model(), src, padding_mask(src), LENGTH, temperature=0, end=end)
    assert last.choice == end
    assert [*last.ys[0].tolist(), last.choice] == greedy()[: greedy().index(end, 1) + 1]


@pytest.mark.parametrize(
    ("temperature", "top_k", "top_p", "said"),
    [
        (-1.0, None, 1.0, "from 0 on"),
        (math.nan, None, 1.0, "from 0 on"),
        (math.inf, None, 1.0, "from 0 on"),
        (1.0, 0, 1.0, "at least 1"),
        (1.0, 2, 1.1, "a probability"),
        (1.0, 2, math.nan, "a probability"),
    ],
)
def test_what_cannot_be_is_said(temperature: float, top_k: int | None, top_p: float, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        sampling_steps(LOGITS, temperature, top_k, top_p)
    with pytest.raises(ValueError, match="one source at a time"):
        next(sampled_turns(small_model(), source().expand(2, -1), None, LENGTH))
