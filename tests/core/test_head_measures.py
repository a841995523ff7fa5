"""What a head does, in numbers."""

import math

import torch

from transformer_core.head_measures import attention_distance, offset_share


def test_a_head_that_looks_at_itself_has_distance_zero() -> None:
    assert attention_distance(torch.eye(4)) == 0


def test_distance_weighs_how_far_each_query_looks() -> None:
    weights = torch.tensor([[0.0, 0.5, 0.5], [1.0, 0.0, 0.0]])  # 1.5 and 1 positions away
    assert math.isclose(float(attention_distance(weights)), 1.25)


def test_the_share_of_an_offset_is_the_mean_of_that_diagonal() -> None:
    weights = torch.tensor([[[0.1, 0.9, 0.0, 0.0], [0.2, 0.1, 0.7, 0.0]]])
    assert math.isclose(float(offset_share(weights, 1)), 0.8, rel_tol=1e-6)
    assert math.isclose(float(offset_share(weights, -1)), 0.2, rel_tol=1e-6)


def test_an_offset_that_no_query_has_is_not_a_number() -> None:
    assert torch.isnan(offset_share(torch.ones(1, 1), 1))
