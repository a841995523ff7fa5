"""Order and length, measured on whole models: what an encoder sees of the order, what a model does past its length."""

import pytest
import torch
from torch import Tensor

from tests.core.build import SRC_VOCAB, small_model
from transformer_core import copy_sequences, greedy_decode, make_model, padding_mask
from transformer_core.experiments.lengths import length_score
from transformer_core.positions import order_gap


@pytest.mark.parametrize("norm_first", [True, False])
def test_an_encoder_without_positions_cannot_tell_the_order_and_with_them_it_can(norm_first: bool) -> None:
    model = small_model(norm_first)
    embeddings, positions = model.get_submodule("src_embed.0"), model.get_submodule("src_embed.1")

    def without(x: Tensor) -> Tensor:
        return model.encoder(x, None)

    def with_positions(x: Tensor) -> Tensor:
        return model.encoder(positions(x), None)

    with torch.no_grad():
        x = embeddings(torch.randint(1, SRC_VOCAB, (2, 7)))
        order = torch.tensor([3, 0, 6, 1, 5, 2, 4])
        assert order_gap(without, x, order).abs().max() < 1e-5
        assert order_gap(with_positions, x, order).abs().max() > 0.1
        assert not order_gap(with_positions, x, torch.arange(7)).any()


def test_the_score_of_a_length_is_that_of_greedy_decoding() -> None:
    # With three tokens an untrained model may be right now and then; with this seed it is.
    torch.manual_seed(6)
    model = make_model(3, 3, 1, 8, 16, 2).eval()
    score = length_score(model, vocab=3, length=4, count=200, seed=5)
    sequences = copy_sequences(3, 200, 4, generator=torch.Generator().manual_seed(5))
    right = greedy_decode(model, sequences, padding_mask(sequences), 4) == sequences
    assert score.exact == pytest.approx(right.all(1).float().mean().item())
    assert 0 < score.exact < 1
    assert score.tokens.shape == (3,)
    assert score.tokens[0].item() == pytest.approx(right[:, 1].float().mean().item())
    assert score.exact <= score.tokens.min().item()
