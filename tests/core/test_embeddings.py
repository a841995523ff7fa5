"""Token embeddings: a row of the table times √d_model."""

import torch

from tests.core.build import assert_within
from transformer_core import Embeddings, record
from transformer_core.embeddings import largest_differences


def test_a_token_gets_its_row_times_the_root_of_d_model() -> None:
    embeddings = Embeddings(16, 10)
    ids = torch.tensor([[4, 5, 8, 8, 1]])
    with record(embeddings) as trace:
        out = embeddings(ids)

    assert out.shape == (1, 5, 16)
    assert torch.equal(trace["rows"], embeddings.lut.weight[[4, 5, 8, 8, 1]].unsqueeze(0))
    assert torch.equal(out, 4 * trace["rows"])  # √16


def test_a_repeated_token_gets_identical_vectors() -> None:
    out = Embeddings(16, 10)(torch.tensor([[4, 5, 8, 8, 1]]))
    assert torch.equal(out[0, 2], out[0, 3])
    assert not torch.equal(out[0, 0], out[0, 1])


def test_the_largest_difference_of_two_vectors_worked_by_hand() -> None:
    x = torch.tensor([[1.0, 5.0, 0.0], [4.0, 4.0, 0.0], [1.0, 5.0, 0.0], [1.0, 5.0, -7.0]])
    assert largest_differences(x).tolist() == [[0, 3, 0, 7], [3, 0, 3, 7], [0, 3, 0, 7], [7, 7, 7, 0]]


def test_the_padding_token_has_a_zero_row_that_is_never_trained() -> None:
    embeddings = Embeddings(3, 10, padding_idx=0)
    out = embeddings(torch.tensor([[0, 2, 0, 5]]))
    (out - 1).square().sum().backward()

    assert torch.equal(out[0, [0, 2]], torch.zeros(2, 3))
    assert out[0, [1, 3]].all()
    gradient = embeddings.lut.weight.grad
    assert gradient is not None
    assert gradient.any(dim=1).nonzero().flatten().tolist() == [2, 5]


def test_looking_up_is_multiplying_a_one_hot_row_by_the_table() -> None:
    embeddings = Embeddings(6, 10)
    ids = torch.randint(10, (2, 5))
    one_hot = torch.nn.functional.one_hot(ids, 10).float()
    assert_within(embeddings(ids), one_hot @ embeddings.lut.weight * 6**0.5, 1e-6)


def test_the_documents_two_by_four_ids_give_two_by_four_by_512() -> None:
    ids = torch.tensor([[100, 2, 421, 508], [491, 998, 1, 221]])
    assert Embeddings(512, 1000)(ids).shape == (2, 4, 512)
