"""Decoding with a cache of keys and values: the same numbers and the same tokens as without."""

from typing import Any

import pytest
import torch
from torch import Tensor, nn

from tests.core.build import D_MODEL, MAX_LEN, ROUNDING, SRC_VOCAB, TGT_VOCAB, S, assert_within, padded, unsettle
from transformer_core import (
    CachedDecoder,
    EncoderDecoder,
    LayerNorm,
    cached_decode,
    greedy_decode,
    greedy_steps,
    make_model,
    padding_mask,
    subsequent_mask,
)

LENGTH = 9
MODELS: list[dict[str, Any]] = [
    {"N": 1, "h": 1},
    {"N": 2, "h": 4},
    {"N": 3, "h": 8, "norm_first": False},
    {"N": 2, "h": 2, "norm_first": False, "norm": LayerNorm},
    {"N": 2, "h": 3, "norm": nn.LayerNorm},
    {"N": 2, "h": 4, "scale": False},
]
SOURCES = {
    "one source": padded([S], S, SRC_VOCAB, torch.Generator().manual_seed(0)),
    "a batch": padded([S, S, S], S, SRC_VOCAB, torch.Generator().manual_seed(0)),
    "a batch with paddings": padded([4, S, 2], S, SRC_VOCAB, torch.Generator().manual_seed(0)),
}


def made(**options: Any) -> EncoderDecoder:
    model = make_model(SRC_VOCAB, TGT_VOCAB, d_model=D_MODEL, d_ff=10, max_len=MAX_LEN, **options).eval()
    unsettle(model)
    return model


def cached_log_probs(model: EncoderDecoder, src: Tensor, ys: Tensor) -> Tensor:
    """(batch, T, vocab) for the decoder input ys (batch, T), one token after the other."""
    mask = padding_mask(src)
    decoder = CachedDecoder(model, model.encode(src, mask), mask)
    return torch.stack([decoder.next(token) for token in ys.unbind(1)], dim=1)


@pytest.mark.parametrize("options", MODELS)
@pytest.mark.parametrize("sources", SOURCES)
def test_every_turn_has_the_log_probabilities_of_the_loop_that_computes_all_anew(
    options: dict[str, Any], sources: str
) -> None:
    model, src = made(**options), SOURCES[sources]
    steps = list(greedy_steps(model, src, padding_mask(src), LENGTH))
    expected = torch.stack([step.log_probs for step in steps], dim=1)

    assert_within(cached_log_probs(model, src, steps[-1].ys), expected, ROUNDING)
    assert torch.equal(
        cached_decode(model, src, padding_mask(src), LENGTH), greedy_decode(model, src, padding_mask(src), LENGTH)
    )


@pytest.mark.parametrize("options", MODELS)
def test_whatever_the_tokens_one_by_one_is_the_parallel_pass(options: dict[str, Any]) -> None:
    model, src = made(**options), SOURCES["a batch with paddings"]
    ys = torch.randint(0, TGT_VOCAB, (3, LENGTH), generator=torch.Generator().manual_seed(1))
    with torch.no_grad():
        expected = model.generator(model(src, ys, padding_mask(src), subsequent_mask(LENGTH)))
    assert_within(cached_log_probs(model, src, ys), expected, ROUNDING)


def test_in_float64_the_two_agree_to_its_own_rounding() -> None:
    model, src = made(N=2, h=4).double(), SOURCES["a batch with paddings"]
    ys = greedy_decode(model, src, padding_mask(src), LENGTH)
    with torch.no_grad():
        expected = model.generator(model(src, ys, padding_mask(src), subsequent_mask(LENGTH)))
    assert_within(cached_log_probs(model, src, ys), expected, 1e-12)


def test_a_mask_may_be_missing_or_made_for_all_heads() -> None:
    model, src = made(N=2, h=4), SOURCES["a batch with paddings"]
    for mask in (None, padding_mask(src), padding_mask(src).unsqueeze(1)):
        assert torch.equal(cached_decode(model, src, mask, LENGTH), greedy_decode(model, src, mask, LENGTH))


def test_with_an_end_symbol_it_stops_where_the_loop_stops() -> None:
    model, src = made(N=2, h=4), SOURCES["a batch with paddings"]
    for end in range(TGT_VOCAB):
        expected = greedy_decode(model, src, padding_mask(src), LENGTH, 5, end)
        assert torch.equal(cached_decode(model, src, padding_mask(src), LENGTH, 5, end), expected)


def test_a_turn_computes_the_row_of_its_token_alone() -> None:
    model, src = made(N=2, h=4), SOURCES["one source"]
    decoder = CachedDecoder(model, model.encode(src, None), None)
    first = decoder.next(torch.tensor([3]))
    again = CachedDecoder(model, model.encode(src, None), None)
    assert torch.equal(first, again.next(torch.tensor([3])))
    assert not torch.equal(first, decoder.next(torch.tensor([3]))), "the second turn knows of the first"


def test_the_position_code_ends_for_both() -> None:
    model, src = made(N=1, h=1), SOURCES["one source"]
    assert cached_decode(model, src, None, MAX_LEN + 1).shape == (1, MAX_LEN + 1)
    for decode in (greedy_decode, cached_decode):
        with pytest.raises(ValueError, match=f"covers {MAX_LEN} positions"):
            decode(model, src, None, MAX_LEN + 2)


def test_a_model_in_training_mode_is_refused() -> None:
    with pytest.raises(ValueError, match="eval"):
        cached_decode(made(N=1, h=1).train(), SOURCES["one source"], None, LENGTH)


def test_what_it_gives_can_be_learned_from() -> None:
    model, src = made(N=1, h=1), SOURCES["one source"]
    ys = cached_decode(model, src, None, LENGTH)
    model.generator(model(src, ys, None, subsequent_mask(LENGTH))).sum().backward()
    assert not ys.is_inference()
