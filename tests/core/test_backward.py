"""The backward pass by hand, held to autograd at every recorded value and every parameter."""

from functools import partial
from typing import Any

import pytest
import torch
from torch import Tensor

from transformer_core import EncoderDecoder, make_model, record
from transformer_core.backward import Gradients, Tape, backward, covers, last_block_first, loss_gradient, reads
from transformer_core.loss import LabelSmoothing
from transformer_core.masks import Masks, padding_mask, target_mask
from transformer_core.verify.autograd import by_autograd

SRC = torch.tensor([[1, 5, 2, 6, 3], [1, 4, 4, 0, 0], [1, 2, 0, 0, 0]])
TGT = torch.tensor([[1, 7, 3, 8], [1, 2, 0, 0], [1, 5, 5, 0]])
ANSWERS = torch.tensor([[7, 3, 8, 2], [2, 0, 0, 0], [5, 5, 2, 0]])
NOT_OF_THE_LOSS = {"mean", "std", "code", "log_probs"}  # steps on the way that no function names, constants, the end


def model_of(seed: int = 0, **how: Any) -> EncoderDecoder:
    """No two axes of the same size."""
    torch.manual_seed(seed)
    sizes: dict[str, Any] = {"N": 2, "d_model": 12, "d_ff": 10, "h": 3, "dropout": 0.0, "max_len": 9}
    return make_model(7, 9, **(sizes | how)).double()


def by_hand(model: EncoderDecoder, masks: tuple[Tensor | None, Tensor | None], smoothing: float) -> Gradients:
    criterion = LabelSmoothing(9, 0, smoothing)
    with torch.no_grad(), record(model) as trace:
        log_probs = model.generator(model(SRC, TGT, *masks))
        criterion(log_probs.flatten(0, 1), ANSWERS.flatten())
        assert criterion.true_dist is not None
        towards = criterion.true_dist.double().view_as(log_probs)
        return backward(model, trace, SRC, TGT, *masks, loss_gradient(log_probs, towards, int((ANSWERS != 0).sum())))


def judged(model: EncoderDecoder, masks: tuple[Tensor | None, Tensor | None], smoothing: float) -> Gradients:
    def loss() -> Tensor:
        log_probs = model.generator(model(SRC, TGT, *masks))
        total: Tensor = LabelSmoothing(9, 0, smoothing)(log_probs.flatten(0, 1), ANSWERS.flatten())
        return total / int((ANSWERS != 0).sum())

    return by_autograd(model, loss)


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
@pytest.mark.parametrize("scale", [True, False])
@pytest.mark.parametrize("masked", [True, False])
def test_every_gradient_is_that_of_autograd(masked: bool, scale: bool, smoothing: float) -> None:
    model = model_of(scale=scale)
    masks = (padding_mask(SRC), target_mask(TGT)) if masked else (None, None)
    found, expected = by_hand(model, masks, smoothing), judged(model, masks, smoothing)
    left_out = {path for path in expected.keys() - found.keys() if path.split(".")[-1] not in NOT_OF_THE_LOSS}
    assert left_out == set()
    for path, gradient in found.items():
        torch.testing.assert_close(gradient, expected[path], rtol=1e-9, atol=1e-12, msg=partial("{}: {}".format, path))


def test_a_row_with_nothing_to_attend_to_passes_nothing_to_its_scores() -> None:
    model = model_of()
    src_mask, tgt_mask = padding_mask(SRC), target_mask(TGT)
    src_mask = src_mask.clone()
    src_mask[2] = False
    found, expected = (which(model, (src_mask, tgt_mask), 0.0) for which in (by_hand, judged))
    scores = "encoder.layers.0.self_attn.scores"
    assert not found[scores][2].any()
    torch.testing.assert_close(found[scores], expected[scores], rtol=1e-9, atol=1e-12)


def test_a_vector_of_equal_numbers_is_no_division_by_nothing() -> None:
    model = model_of()
    with torch.no_grad():
        model.get_parameter("src_embed.0.lut.weight").zero_()
        model.get_buffer("src_embed.1.pe").zero_()
    found, expected = (which(model, (padding_mask(SRC), target_mask(TGT)), 0.0) for which in (by_hand, judged))
    for path, gradient in found.items():
        assert gradient.isfinite().all(), path
        if path.startswith("decoder"):
            torch.testing.assert_close(gradient, expected[path], rtol=1e-9, atol=1e-12)


def test_of_a_recording_it_needs_no_more_than_it_reads() -> None:
    model, masks = model_of(), (padding_mask(SRC), target_mask(TGT))
    everything = by_hand(model, masks, 0.0)
    with torch.no_grad(), record(model, reads) as trace:
        log_probs = model.generator(model(SRC, TGT, *masks))
        criterion = LabelSmoothing(9, 0, 0.0)
        criterion(log_probs.flatten(0, 1), ANSWERS.flatten())
        assert criterion.true_dist is not None
        towards = criterion.true_dist.double().view_as(log_probs)
        gradient = loss_gradient(log_probs, towards, int((ANSWERS != 0).sum()))
        kept: Gradients = {}
        last_block_first(Tape(trace, kept.__setitem__), model, SRC, TGT, Masks(masks[0], *masks), gradient)
    assert all(map(reads, trace))
    assert kept.keys() == everything.keys()
    assert all(torch.equal(kept[path].flatten(), everything[path].flatten()) for path in kept)


def test_what_it_does_not_know_it_says() -> None:
    post, dropping = model_of(norm_first=False), model_of(dropout=0.1)
    assert not covers(post)
    assert not covers(dropping)
    assert covers(dropping.eval())
    with pytest.raises(ValueError, match="pre-norm models without dropout"):
        by_hand(post, (None, None), 0.0)
