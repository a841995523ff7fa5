"""Changing what a model computes on the way: each change against a computation by hand, and what it leaves alone."""

import threading

import pytest
import torch
from torch import Tensor

from tests.core.build import (
    D_K,
    HEADS,
    ROUNDING,
    SRC_VOCAB,
    TGT_VOCAB,
    N,
    S,
    T,
    assert_within,
    log_probs,
    padded,
    small_batch,
    small_model,
)
from transformer_core import (
    Batch,
    EncoderDecoder,
    Trace,
    greedy_decode,
    intervene,
    make_model,
    record,
)
from transformer_core.experiments.interventions import (
    Changes,
    head_off,
    head_uniform,
    row_by_hand,
    without_positions,
    without_residual,
)

ENCODER, DECODER, CROSS = "encoder.layers.0.self_attn", "decoder.layers.1.self_attn", "decoder.layers.1.src_attn"
ATTENTIONS = (ENCODER, DECODER, CROSS)
HEAD = 2


def traced(model: EncoderDecoder, batch: Batch, changes: Changes) -> Trace:
    with torch.no_grad(), intervene(model, changes), record(model) as trace:
        log_probs(model, batch)
    return trace


def wide(attention: str) -> tuple[int, int]:
    """Queries and keys of an attention on the small batch."""
    return {ENCODER: (S, S), DECODER: (T, T), CROSS: (T, S)}[attention]


@pytest.fixture
def batch() -> Batch:
    return Batch(padded([S, 4], S, SRC_VOCAB), padded([T + 1, 5], T + 1, TGT_VOCAB))


@pytest.mark.parametrize("norm_first", [True, False])
def test_without_a_change_every_bit_is_the_same(norm_first: bool, batch: Batch) -> None:
    model = small_model(norm_first)
    with torch.no_grad(), record(model) as before:
        log_probs(model, batch)
    after = traced(model, batch, {})
    untouched = traced(model, batch, {path: lambda value: value for path in before})
    for path, value in before.items():
        assert torch.equal(value, after[path]), path
        assert torch.equal(value, untouched[path]), path


def test_every_recorded_value_can_be_changed_and_the_model_goes_on_with_it(batch: Batch) -> None:
    model = small_model()
    with torch.no_grad(), record(model) as before:
        out = log_probs(model, batch)
    for path in before:
        with torch.no_grad(), intervene(model, {path: lambda value: value + torch.rand_like(value)}):
            changed = log_probs(model, batch)
        assert not torch.equal(changed, out), path


def test_the_model_stays_as_it_was(batch: Batch) -> None:
    model = small_model()
    weights = {name: value.clone() for name, value in model.state_dict().items()}
    before = log_probs(model, batch)
    traced(model, batch, head_off(CROSS, HEAD) | without_positions() | without_residual("encoder.layers.1.sublayer.0"))
    assert all(torch.equal(value, weights[name]) for name, value in model.state_dict().items())
    assert torch.equal(log_probs(model, batch), before)


@pytest.mark.parametrize("attention", ATTENTIONS)
def test_a_head_switched_off_is_its_slice_of_the_output_matrix_removed(attention: str, batch: Batch) -> None:
    model = small_model()
    trace = traced(model, batch, head_off(attention, HEAD))
    assert not trace[f"{attention}.heads"][:, HEAD].any()

    to_output = model.get_parameter(f"{attention}.linears.3.weight")
    with torch.no_grad():
        to_output[:, HEAD * D_K : (HEAD + 1) * D_K] = 0
        removed = log_probs(model, batch)
    assert_within(trace["generator.log_probs"], removed, ROUNDING)


@pytest.mark.parametrize("attention", ATTENTIONS)
def test_a_uniform_head_looks_alike_at_every_key_that_its_mask_lets_through(attention: str, batch: Batch) -> None:
    model = small_model()
    with record(model) as plain:
        log_probs(model, batch)
    trace = traced(model, batch, head_uniform(attention, HEAD))
    weights = trace[f"{attention}.weights"]
    allowed = (trace[f"{attention}.masked"] > -1e9)[:, HEAD].double()  # (batch, T, S)
    assert_within(weights[:, HEAD].double(), allowed / allowed.sum(-1, keepdim=True), ROUNDING)
    assert_within(weights.sum(-1), torch.ones(weights.shape[:-1]), ROUNDING)
    assert torch.equal(weights == 0, plain[f"{attention}.masked"] == -1e9)
    others = [head for head in range(HEADS) if head != HEAD]
    assert torch.equal(weights[:, others], plain[f"{attention}.weights"][:, others])
    value = trace[f"{attention}.value"][:, HEAD]
    means = (allowed @ value.double() / allowed.sum(-1, keepdim=True)).float()
    assert_within(trace[f"{attention}.heads"][:, HEAD], means, ROUNDING)


@pytest.mark.parametrize("attention", ATTENTIONS)
def test_a_row_by_hand_is_divided_by_its_sum_and_used(attention: str, batch: Batch) -> None:
    model, (_, keys) = small_model(), wide(attention)
    with torch.no_grad(), record(model) as plain:
        log_probs(model, batch)
    row, query = [3.0, 1.0, *[0.0] * (keys - 2)], 3
    trace = traced(model, batch, row_by_hand(attention, HEAD, query, row))
    expected = plain[f"{attention}.weights"].clone()
    expected[:, HEAD, query] = torch.tensor([0.75, 0.25, *[0.0] * (keys - 2)])
    assert torch.equal(trace[f"{attention}.weights"], expected)
    value = trace[f"{attention}.value"][:, HEAD]
    assert_within(trace[f"{attention}.heads"][:, HEAD, query], 0.75 * value[:, 0] + 0.25 * value[:, 1], ROUNDING)


def test_a_short_row_by_hand_leaves_the_later_keys_nothing(batch: Batch) -> None:
    trace = traced(small_model(), batch, row_by_hand(DECODER, 0, 1, [2, 6]))
    assert trace[f"{DECODER}.weights"][0, 0, 1].tolist() == [0.25, 0.75, *[0.0] * (T - 2)]


def test_a_row_by_hand_waits_until_its_query_is_there() -> None:
    model, src = small_model(), padded([S], S, SRC_VOCAB)
    with intervene(model, row_by_hand(CROSS, 0, 3, [1.0])), record(model) as trace:
        greedy_decode(model, src, None, max_len=4)
    assert trace[f"{CROSS}.weights"].size(-2) == 3
    with intervene(model, row_by_hand(CROSS, 0, 3, [1.0])), record(model) as trace:
        greedy_decode(model, src, None, max_len=5)
    assert trace[f"{CROSS}.weights"][0, 0, 3].tolist() == [1.0, *[0.0] * (S - 1)]
    with intervene(model, row_by_hand(DECODER, 0, 2, [1.0, 1.0, 2.0])), record(model) as trace:
        greedy_decode(model, src, None, max_len=5)
    assert trace[f"{DECODER}.weights"][0, 0, 2].tolist() == [0.25, 0.25, 0.5, 0.0]


@pytest.mark.parametrize(
    "row",
    [[], [0.0, 0.0], [1.0, -0.1], [float("nan"), 1.0], [float("inf"), 1.0]],
    ids=["none", "zero", "neg", "nan", "inf"],
)
def test_what_is_no_row_of_weights_is_refused(row: list[float]) -> None:
    with pytest.raises(ValueError, match="row of weights"):
        row_by_hand(CROSS, 0, 0, row)


def test_a_row_of_huge_or_tiny_numbers_still_sums_to_one(batch: Batch) -> None:
    for size in (1e308, 1e-308):
        trace = traced(small_model(), batch, row_by_hand(CROSS, 0, 0, [size] * S))
        assert_within(trace[f"{CROSS}.weights"][0, 0, 0], torch.full((S,), 1 / S), ROUNDING)


@pytest.mark.parametrize("norm_first", [True, False])
def test_without_its_residual_a_connection_passes_on_the_branch_alone(norm_first: bool, batch: Batch) -> None:
    model = small_model(norm_first)
    place = "encoder.layers.0.sublayer.1"
    trace = traced(model, batch, without_residual(place))
    branch = trace[f"{place}.branch"]
    assert torch.equal(trace[f"{place}.sum"], branch)
    if norm_first:
        assert torch.equal(trace[f"{place}.output"], branch)


def test_without_positions_the_encoder_cannot_tell_the_order() -> None:
    model, src = small_model(), padded([S], S, SRC_VOCAB)
    order = torch.randperm(S)
    with torch.no_grad(), intervene(model, {"src_embed.1.code": torch.zeros_like}):
        assert_within(model.encode(src[:, order], None), model.encode(src, None)[:, order], ROUNDING)


def test_without_positions_the_embeddings_go_on_as_they_are(batch: Batch) -> None:
    trace = traced(small_model(), batch, without_positions())
    for side in ("src_embed", "tgt_embed"):
        assert torch.equal(trace[f"{side}.1.output"], trace[f"{side}.0.output"])


def test_changes_add_up(batch: Batch) -> None:
    both = traced(small_model(), batch, head_off(ENCODER, 0) | head_uniform(CROSS, 1))
    assert not both[f"{ENCODER}.heads"][:, 0].any()
    assert not both[f"{CROSS}.scores"][:, 1].any()


@pytest.mark.parametrize("path", ["decoder.layers.9.src_attn.heads", "encoder.layers.0.self_attn.headz", "heads"])
def test_a_path_that_nothing_taps_is_named(path: str, batch: Batch) -> None:
    with pytest.raises(ValueError, match=path):
        traced(small_model(), batch, {path: torch.zeros_like})


def test_a_change_of_shape_is_refused_by_name(batch: Batch) -> None:
    with pytest.raises(ValueError, match=r"src_attn\.heads is"):
        traced(small_model(), batch, {f"{CROSS}.heads": lambda heads: heads[:, :1]})


@pytest.mark.parametrize(
    "changes", [head_off(CROSS, HEADS), head_uniform(CROSS, -1), row_by_hand(CROSS, HEADS, 0, [1.0])]
)
def test_a_head_that_is_not_there_is_refused(changes: Changes, batch: Batch) -> None:
    with pytest.raises(ValueError, match="no head"):
        traced(small_model(), batch, changes)


def test_a_row_longer_than_the_keys_is_refused(batch: Batch) -> None:
    with pytest.raises(ValueError, match=f"{S + 1} weights for {S} keys"):
        traced(small_model(), batch, row_by_hand(CROSS, 0, 0, [1.0] * (S + 1)))


def test_an_error_inside_the_block_ends_the_intervention(batch: Batch) -> None:
    model = small_model()
    before = log_probs(model, batch)
    with pytest.raises(RuntimeError, match="mine"), intervene(model, head_off(CROSS, 0)):
        raise RuntimeError("mine")
    assert torch.equal(log_probs(model, batch), before)


def test_neither_another_thread_nor_another_model_is_changed(batch: Batch) -> None:
    model, other = small_model(), make_model(SRC_VOCAB, TGT_VOCAB, N, 24, 48, HEADS).eval()
    before, of_other = log_probs(model, batch), log_probs(other, batch)
    seen: list[Tensor] = []
    with intervene(model, head_off(CROSS, 0)):
        assert not torch.equal(log_probs(model, batch), before)
        assert torch.equal(log_probs(other, batch), of_other)
        thread = threading.Thread(target=lambda: seen.append(log_probs(model, batch)))
        thread.start()
        thread.join()
    assert torch.equal(seen[0], before)


def test_gradients_flow_through_a_change() -> None:
    model, batch = small_model(), small_batch()
    with intervene(model, head_off(CROSS, HEAD)):
        log_probs(model, batch).sum().backward()
    gradient = model.get_parameter(f"{CROSS}.linears.2.weight").grad
    assert gradient is not None
    assert not gradient[HEAD * D_K : (HEAD + 1) * D_K].any()
    assert gradient.any()
