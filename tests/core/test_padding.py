"""Sequences of different lengths in one rectangle."""

import pytest
import torch

from transformer_core.tasks.padding import pad_sequences, random_sequences


def test_the_notes_lengths_two_and_four_fill_up_to_five() -> None:
    sequences = [torch.tensor([6, 5]), torch.tensor([3, 7, 1, 4])]
    assert pad_sequences(sequences, 5).tolist() == [[6, 5, 0, 0, 0], [3, 7, 1, 4, 0]]
    assert pad_sequences(sequences, 4, pad=9).tolist() == [[6, 5, 9, 9], [3, 7, 1, 4]]


def test_padding_never_cuts() -> None:
    with pytest.raises(ValueError, match="4 tokens does not fit into a width of 3"):
        pad_sequences([torch.tensor([6, 5]), torch.tensor([3, 7, 1, 4])], 3)


def test_a_batch_needs_a_sequence() -> None:
    with pytest.raises(ValueError, match="at least one"):
        pad_sequences([], 5)


def test_random_sequences_have_the_lengths_asked_for_and_no_padding_inside() -> None:
    sequences = random_sequences([4, 3, 200], vocab=8)
    assert [len(sequence) for sequence in sequences] == [4, 3, 200]
    assert sequences[2].unique().tolist() == [1, 2, 3, 4, 5, 6, 7]
    with pytest.raises(ValueError, match="vocabulary of 1"):
        random_sequences([2], vocab=1)
