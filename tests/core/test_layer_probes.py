"""What a linear probe reads from each layer: nothing but what is in the vectors, and it has to be found anew."""

import pytest
import torch

from transformer_core import make_model
from transformer_core.experiments.layer_probes import LABELS, layer_probes
from transformer_core.tasks.copy_task import copy_sequences
from transformer_core.training.checkpoint import load

WORD, BEFORE, POSITION = map(LABELS.index, LABELS)


def sequences(count: int, length: int = 7, vocab: int = 13) -> torch.Tensor:
    return copy_sequences(vocab, count, length, generator=torch.Generator().manual_seed(2))


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_without_positions_and_without_layers_a_vector_tells_its_token_and_no_other(seed: int) -> None:
    torch.manual_seed(seed)
    model = make_model(13, 11, 3, 32, 24, 4, 0.0, positions=False).eval()
    src = sequences(300)
    found = layer_probes(model, src)
    assert found.right.shape == (4, 3)
    assert found.tokens == 150 * 6
    assert found.right[0, WORD] == found.tokens
    # Equal tokens have equal vectors there: of what stands before, no more is known than what is likeliest.
    for label in (BEFORE, POSITION):
        assert found.right[0, label] < found.guessed[label] + 0.1 * found.tokens


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_sinusoids_tell_the_position_before_the_first_layer(seed: int) -> None:
    torch.manual_seed(seed)
    found = layer_probes(make_model(13, 11, 1, 32, 24, 4, 0.0).eval(), sequences(300))
    assert found.right[0, POSITION] > 0.95 * found.tokens


def test_the_layers_of_the_shipped_copier_add_the_token_before() -> None:
    """Its two layers, and sequences of its length; the token itself is there from the beginning."""
    read = load("assets/model/copy.safetensors")
    found = layer_probes(read.model, sequences(400, read.config.length, read.config.vocab))
    first, middle, last = found.right[:, BEFORE].tolist()
    assert first + 0.2 * found.tokens < middle < last - 0.05 * found.tokens
    assert found.right[0, WORD] > 0.99 * found.tokens


def test_paddings_and_first_tokens_are_not_asked_about() -> None:
    src = sequences(40)
    src[::2, 4:] = 0
    found = layer_probes(make_model(13, 11, 1, 16, 24, 4, 0.0).eval(), src)
    assert found.tokens == 10 * 3 + 10 * 6


def test_one_sequence_is_too_few() -> None:
    with pytest.raises(ValueError, match="1 are too few"):
        layer_probes(make_model(13, 11, 1, 16, 24, 4, 0.0).eval(), sequences(1))
