"""What a head does, in numbers."""

import torch

from transformer_core.experiments.head_measures import attention_distance, neighbour_weights


def test_a_head_that_looks_at_itself_has_distance_zero() -> None:
    assert not attention_distance(torch.eye(4)).any()


def test_distance_weighs_how_far_each_query_looks() -> None:
    weights = torch.tensor([[0.0, 0.5, 0.5], [1.0, 0.0, 0.0]])
    assert attention_distance(weights).tolist() == [1.5, 1.0]


def test_the_weights_on_a_neighbour_are_one_diagonal() -> None:
    weights = torch.tensor([[[0.1, 0.9, 0.0, 0.0], [0.2, 0.1, 0.7, 0.0]]])
    torch.testing.assert_close(neighbour_weights(weights, 1), torch.tensor([[0.9, 0.7]]))
    torch.testing.assert_close(neighbour_weights(weights, -1), torch.tensor([[0.2]]))


def test_an_offset_that_no_query_has_is_empty() -> None:
    assert neighbour_weights(torch.ones(1, 1), 1).numel() == 0
