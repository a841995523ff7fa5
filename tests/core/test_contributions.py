"""Why this word and not that one: what each part of the decoder adds to the difference of two logits."""

import pytest
import torch
from torch import nn

from tests.core.build import N, T, log_probs, small_batch, small_model, unsettle
from transformer_core import EncoderDecoder, LayerNorm, MultiHeadedAttention, Trace, make_model, record
from transformer_core.experiments.contributions import Contributions, contributions
from transformer_core.head_merge import merge_steps
from transformer_core.residual import Norm

EXACT = 1e-10  # float64, a few hundred terms


def recording(model: EncoderDecoder) -> Trace:
    with torch.no_grad(), record(model) as trace:
        log_probs(model, small_batch())
    return trace


def taken_apart(model: EncoderDecoder, row: int = 2, token: int = 3, rival: int = 5) -> Contributions:
    return contributions(model, recording(model), row, token, rival)


@pytest.mark.parametrize("norm_first", [True, False])
@pytest.mark.parametrize("norm", [LayerNorm, nn.LayerNorm], ids=["own", "torch"])
def test_the_parts_add_up_to_the_difference_of_the_logits(norm_first: bool, norm: Norm) -> None:
    torch.manual_seed(1)
    model = small_model(norm_first, norm)
    for dtype, tolerance in ((torch.float32, 1e-4), (torch.float64, EXACT)):
        trace = recording(model.to(dtype))
        logits = trace["generator.logits"][0].double()
        for row, token, rival in ((0, 1, 2), (T - 1, 4, 0), (1, 0, 6)):
            found = contributions(model, trace, row, token, rival)
            assert found.difference == float(logits[row, token] - logits[row, rival])
            assert found.total == pytest.approx(found.difference, abs=tolerance)
            assert found.remainder == found.difference - found.total


@pytest.mark.parametrize("norm_first", [True, False])
@pytest.mark.parametrize(("layers", "h", "d_model"), [(1, 1, 2), (1, 4, 8), (3, 2, 10), (5, 5, 20)])
def test_they_do_so_for_all_sizes(layers: int, h: int, d_model: int, norm_first: bool) -> None:
    torch.manual_seed(2)
    model = make_model(13, 13, layers, d_model, 6, h, norm_first=norm_first, max_len=9).eval().double()
    unsettle(model)
    found = taken_apart(model, row=1)
    assert found.heads.contributions.shape == (layers, 2, h)
    assert found.feed_forward.contributions.shape == (layers,)
    assert found.norm_biases.contributions.shape == (1 if norm_first else 3 * layers,)
    assert found.remainder == pytest.approx(0, abs=EXACT)


@pytest.mark.parametrize("norm_first", [True, False])
def test_they_do_so_whatever_ends_the_stack(norm_first: bool) -> None:
    torch.manual_seed(4)
    model = small_model(norm_first).double()
    d_model = model.generator.proj.in_features
    model.decoder.norm = nn.Identity() if norm_first else nn.LayerNorm(d_model).double()
    found = taken_apart(model)
    assert len(found.norm_biases.contributions) == (0 if norm_first else 3 * N + 1)
    assert found.remainder == pytest.approx(0, abs=EXACT)


def test_a_head_of_pre_norm_adds_what_would_be_missing_without_its_share_under_the_recorded_spread() -> None:
    torch.manual_seed(3)
    model = small_model().double()
    trace = recording(model)
    found, attention = contributions(model, trace, 2, 3, 5), model.get_submodule("decoder.layers.0.src_attn")
    assert isinstance(attention, MultiHeadedAttention)
    to_output, norm = attention.linears[3], model.decoder.norm
    assert isinstance(to_output, nn.Linear)
    assert isinstance(norm, LayerNorm)
    with torch.no_grad():
        heads = trace["decoder.layers.0.src_attn.heads"][0]
        shares = merge_steps(heads, to_output.weight, to_output.bias).shares[:, 2]
        x = trace[f"decoder.layers.{N - 1}.output"][0, 2]
        for head, share in enumerate(shares):
            left = x - share
            normed = norm.a_2 * (left - left.mean()) / (x.std() + norm.eps) + norm.b_2
            logits = model.generator.proj(normed)
            missing = found.difference - float(logits[3] - logits[5])
            assert float(found.heads.contributions[0, 1, head]) == pytest.approx(missing, abs=EXACT)


@pytest.mark.parametrize("norm_first", [True, False])
def test_a_part_that_is_zero_adds_nothing(norm_first: bool) -> None:
    model = small_model(norm_first).double()
    attention, network = (model.get_submodule(f"decoder.layers.1.{name}") for name in ("self_attn", "feed_forward"))
    with torch.no_grad():
        value, to_output = attention.get_submodule("linears.2"), attention.get_submodule("linears.3")
        for parameter in (*value.parameters(), to_output.get_parameter("bias"), network.get_parameter("w_2.weight")):
            parameter.zero_()
    found = taken_apart(model)
    assert not found.heads.contributions[1, 0].any()
    assert not found.biases.contributions[1, 0].any()
    assert not found.feed_forward.contributions[1].any()
    assert found.heads.contributions[0].any()
    assert found.remainder == pytest.approx(0, abs=EXACT)


def test_the_other_way_round_every_part_has_the_other_sign() -> None:
    model = small_model()
    trace = recording(model)
    one, other, none = (contributions(model, trace, 2, *pair) for pair in ((3, 5), (5, 3), (3, 3)))
    torch.testing.assert_close(one.heads.contributions, -other.heads.contributions)
    assert one.total == pytest.approx(-other.total)
    assert none.total == 0


def test_what_cannot_be_taken_apart_is_named() -> None:
    model = small_model()
    trace = recording(model)
    with pytest.raises(ValueError, match="generator"):
        contributions(model, {}, 0, 1, 2)
    for row, token, rival in ((T, 1, 2), (-1, 1, 2), (0, 99, 2), (0, 1, -1)):
        with pytest.raises(ValueError, match="there are"):
            contributions(model, trace, row, token, rival)
    model.decoder.norm = nn.Dropout()
    with pytest.raises(ValueError, match="Dropout"):
        contributions(model, trace, 0, 1, 2)
