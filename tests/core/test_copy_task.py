"""The copy task and its batches."""

import torch

from transformer_core import PAD, START, Batch, copy_sequences, data_generator


def test_a_batch_shifts_the_target_by_one() -> None:
    batch = Batch(torch.tensor([[1, 5, 6, 7]]), torch.tensor([[1, 8, 9, 2, 0, 0]]))
    assert batch.tgt.tolist() == [[1, 8, 9, 2, 0]]
    assert batch.tgt_y.tolist() == [[8, 9, 2, 0, 0]]
    assert batch.ntokens == 3
    assert batch.src_mask.int().tolist() == [[[1, 1, 1, 1]]]
    assert batch.tgt_mask.int().tolist() == [
        [[1, 0, 0, 0, 0], [1, 1, 0, 0, 0], [1, 1, 1, 0, 0], [1, 1, 1, 1, 0], [1, 1, 1, 1, 0]]
    ]


def test_the_padding_token_can_be_another() -> None:
    batch = Batch(torch.tensor([[0, 5, 9]]), torch.tensor([[0, 5, 9, 9]]), pad=9)
    assert batch.src_mask.int().tolist() == [[[1, 1, 0]]]
    assert batch.tgt_mask.int().tolist() == [[[1, 0, 0], [1, 1, 0], [1, 1, 0]]]
    assert batch.ntokens == 1


def test_a_batch_without_a_target_has_a_source_only() -> None:
    assert set(vars(Batch(torch.tensor([[1, 5, 0]])))) == {"src", "src_mask"}


def test_sequences_begin_with_the_start_symbol_and_hold_every_token_but_the_padding() -> None:
    tokens = copy_sequences(V=11, batch_size=200, length=10)
    assert tokens.shape == (200, 10)
    assert (tokens[:, 0] == START).all()
    assert tokens[:, 1:].unique().tolist() == list(range(1, 11))


def test_sequences_of_random_length_are_padded_at_the_end() -> None:
    tokens = copy_sequences(V=11, batch_size=200, length=7, min_length=3)
    lengths = (tokens != PAD).sum(1)
    assert lengths.unique().tolist() == [3, 4, 5, 6, 7]
    assert torch.equal(tokens != PAD, torch.arange(7) < lengths.unsqueeze(1))


def test_the_same_generator_gives_the_same_sequences() -> None:
    first, second = (copy_sequences(11, 5, 8, 2, torch.Generator().manual_seed(7)) for _ in range(2))
    assert torch.equal(first, second)
    assert not torch.equal(first, copy_sequences(11, 5, 8, 2, torch.Generator().manual_seed(8)))


def test_the_data_generator_asks_the_model_to_copy() -> None:
    batches = list(data_generator(V=11, batch_size=20, n_batches=30))
    assert len(batches) == 30
    for batch in batches:
        assert batch.src.shape == (20, 10)
        assert torch.equal(batch.src[:, :-1], batch.tgt)
        assert torch.equal(batch.src[:, 1:], batch.tgt_y)
        assert batch.ntokens == 180
    assert not torch.equal(batches[0].src, batches[1].src)
