"""Recording: what is collected, by whom, and that nothing stays behind."""

import gc
import threading
import weakref

import pytest
import torch
from torch import Tensor, nn

from tests.core.build import SRC_VOCAB, TGT_VOCAB, S, T, assert_within, padded, small_batch, small_model
from transformer_core import (
    EncoderDecoder,
    SublayerConnection,
    Trace,
    make_model,
    record,
    subsequent_mask,
    tap,
)
from transformer_core.verify.laws import recorded


@pytest.fixture(scope="module")
def notes_trace() -> Trace:
    """The untrained test model of the notes: N=2, d_model 512, V=11, src 1…10, first decoding step, then the third."""
    torch.manual_seed(0)
    model = make_model(11, 11, N=2).eval()
    src, src_mask = torch.arange(1, 11).unsqueeze(0), torch.ones(1, 1, 10)
    trace: Trace = {}
    for name, ys in {"1": torch.tensor([[1]]), "3": torch.tensor([[1, 2, 3]])}.items():
        with record(model) as recorded:
            memory = model.encode(src, src_mask)
            model.generator(model.decode(memory, src_mask, ys, subsequent_mask(ys.size(1)))[:, -1])
        trace |= {f"{name}: {key}": value for key, value in recorded.items()}
    return trace


@pytest.mark.parametrize(
    ("name", "shape"),
    [
        ("src_embed.0.rows", (1, 10, 512)),
        ("src_embed.0.output", (1, 10, 512)),
        ("src_embed.1.code", (1, 10, 512)),
        ("src_embed.1.output", (1, 10, 512)),
        ("encoder.layers.0.sublayer.0.input", (1, 10, 512)),
        ("encoder.layers.0.sublayer.0.norm.mean", (1, 10, 1)),
        ("encoder.layers.0.sublayer.0.norm.output", (1, 10, 512)),
        ("encoder.layers.0.self_attn.query", (1, 8, 10, 64)),
        ("encoder.layers.0.self_attn.key", (1, 8, 10, 64)),
        ("encoder.layers.0.self_attn.value", (1, 8, 10, 64)),
        ("encoder.layers.0.self_attn.products", (1, 8, 10, 10)),
        ("encoder.layers.0.self_attn.scores", (1, 8, 10, 10)),
        ("encoder.layers.0.self_attn.masked", (1, 8, 10, 10)),
        ("encoder.layers.0.self_attn.weights", (1, 8, 10, 10)),
        ("encoder.layers.0.self_attn.heads", (1, 8, 10, 64)),
        ("encoder.layers.0.self_attn.merged", (1, 10, 512)),
        ("encoder.layers.0.self_attn.output", (1, 10, 512)),
        ("encoder.layers.0.sublayer.0.branch", (1, 10, 512)),
        ("encoder.layers.0.sublayer.0.output", (1, 10, 512)),
        ("encoder.layers.1.feed_forward.pre_activation", (1, 10, 2048)),
        ("encoder.layers.1.feed_forward.hidden", (1, 10, 2048)),
        ("encoder.layers.1.feed_forward.output", (1, 10, 512)),
        ("encoder.layers.1.output", (1, 10, 512)),
        ("encoder.output", (1, 10, 512)),
        ("tgt_embed.1.output", (1, 1, 512)),
        ("decoder.layers.0.self_attn.query", (1, 8, 1, 64)),
        ("decoder.layers.0.self_attn.scores", (1, 8, 1, 1)),
        ("decoder.layers.0.src_attn.scores", (1, 8, 1, 10)),
        ("decoder.layers.1.sublayer.2.output", (1, 1, 512)),
        ("decoder.output", (1, 1, 512)),
        ("generator.logits", (1, 11)),
        ("generator.log_probs", (1, 11)),
    ],
)
def test_the_forward_pass_has_the_shapes_of_the_notes(notes_trace: Trace, name: str, shape: tuple[int, ...]) -> None:
    assert notes_trace[f"1: {name}"].shape == shape


def test_the_first_decoding_step_has_one_weight_and_it_is_one(notes_trace: Trace) -> None:
    assert torch.equal(notes_trace["1: decoder.layers.0.self_attn.weights"], torch.ones(1, 8, 1, 1))


def test_the_third_decoding_step_blocks_what_lies_above_the_diagonal(notes_trace: Trace) -> None:
    weights = notes_trace["3: decoder.layers.1.self_attn.weights"]
    assert weights.shape == (1, 8, 3, 3)
    assert weights.triu(1).count_nonzero() == 0
    assert notes_trace["3: decoder.layers.1.src_attn.weights"].shape == (1, 8, 3, 10)
    assert notes_trace["3: generator.log_probs"].shape == (1, 11)


def test_the_recorded_steps_follow_from_one_another() -> None:
    model, batch = small_model(), small_batch()
    with record(model) as trace:
        out = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)

    layer = "decoder.layers.1"
    query, key = trace[f"{layer}.src_attn.query"], trace[f"{layer}.src_attn.key"]
    assert_within(trace[f"{layer}.src_attn.products"], query @ key.mT, 1e-5)
    assert_within(trace[f"{layer}.src_attn.scores"], trace[f"{layer}.src_attn.products"] / 6**0.5, 1e-6)
    assert_within(trace[f"{layer}.src_attn.weights"], trace[f"{layer}.src_attn.masked"].softmax(-1), 1e-6)
    assert_within(
        trace[f"{layer}.sublayer.1.output"],
        trace[f"{layer}.sublayer.1.input"] + trace[f"{layer}.src_attn.output"],
        1e-6,
    )
    assert torch.equal(trace[f"{layer}.sublayer.1.input"], trace[f"{layer}.sublayer.0.output"])
    assert torch.equal(trace["decoder.output"], out)


def test_recording_changes_no_number() -> None:
    batch = small_batch()
    assert recorded(small_model(), batch.src, batch.tgt) == 0


def test_recorded_values_hold_no_graph() -> None:
    model, batch = small_model(), small_batch()
    with record(model) as trace:
        model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
    assert not any(value.requires_grad for value in trace.values())


def test_outside_the_block_nothing_is_recorded() -> None:
    model, src = small_model(), padded([S], S, SRC_VOCAB)
    model.encode(src, None)
    with record(model) as trace:
        pass
    model.encode(src, None)
    assert trace == {}


def test_an_error_inside_the_block_ends_the_recording() -> None:
    model, src = small_model(), padded([S], S, SRC_VOCAB)
    with pytest.raises(ValueError, match="token ids"), record(model) as trace:
        model.encode(src + SRC_VOCAB, None)
    model.encode(src, None)
    assert trace == {}


def test_a_part_of_a_model_can_be_recorded_by_itself() -> None:
    model, src = small_model(), padded([S], S, SRC_VOCAB)
    with record(model.encoder.layers[1]) as trace:
        model.encode(src, None)
    assert trace["self_attn.weights"].shape == (1, 4, S, S)
    assert trace["output"].shape == (1, S, 24)
    assert not any(name.startswith("encoder") for name in trace)


def test_another_model_running_inside_the_block_is_not_recorded() -> None:
    model, other, src = small_model(), small_model(), padded([S], S, SRC_VOCAB)
    with record(model) as trace:
        other.encode(src, None)
    assert trace == {}


def test_of_nested_recordings_the_inner_one_records_and_the_outer_one_goes_on_after_it() -> None:
    model = small_model()
    first, second, third = (padded([length], length, SRC_VOCAB) for length in (4, 5, 6))
    with record(model) as outer:
        model.encode(first, None)
        with record(model) as inner:
            model.encode(second, None)
        assert inner["encoder.output"].size(1) == 5
        assert outer["encoder.output"].size(1) == 4
        model.encode(third, None)
    assert inner["encoder.output"].size(1) == 5
    assert outer["encoder.output"].size(1) == 6


def test_two_threads_that_record_one_model_each_get_their_own_numbers() -> None:
    model = small_model()
    sources = [padded([length], length, SRC_VOCAB) for length in (4, 6)]
    alone: list[Trace] = []
    for src in sources:
        with record(model) as trace:
            model.encode(src, None)
        alone.append(trace)
    together: list[Trace] = [{}, {}]
    both_inside = threading.Barrier(2)

    def meet(*_: object) -> None:
        both_inside.wait(timeout=300)

    meeting = model.encoder.layers[0].register_forward_pre_hook(meet)

    def read(reader: int) -> None:
        with record(model) as trace:
            model.encode(sources[reader], None)
        together[reader] = trace

    threads = [threading.Thread(target=read, args=(reader,)) for reader in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    meeting.remove()

    for mine, expected in zip(together, alone):
        assert mine.keys() == expected.keys()
        for name, value in expected.items():
            assert torch.equal(mine[name], value), name


def test_a_thread_does_not_record_for_another() -> None:
    model, src = small_model(), padded([S], S, SRC_VOCAB)
    with record(model) as trace:
        thread = threading.Thread(target=model.encode, args=(src, None))
        thread.start()
        thread.join()
    assert trace == {}


def tensors_kept(model: EncoderDecoder) -> dict[str, Tensor]:
    """Tensors a forward pass left on the modules, by name; parameters and buffers live elsewhere."""
    return {
        f"{path}.{name}": value
        for path, module in model.named_modules()
        for name, value in vars(module).items()
        if isinstance(value, Tensor)
    }


def test_modules_keep_nothing_of_a_pass_or_of_its_recording() -> None:
    model, batch = small_model(), small_batch()
    with record(model) as trace:
        model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
    watched = {name: weakref.ref(value) for name, value in trace.items()}
    del trace
    gc.collect()

    assert tensors_kept(model) == {}
    alive = {name for name, value in watched.items() if value() is not None}
    assert alive == set()


def test_tap_returns_the_very_value() -> None:
    module, value = nn.Identity(), torch.randn(T, requires_grad=True)
    assert tap(module, "x", value) is value
    with record(module) as trace:
        assert tap(module, "x", value) is value
    assert torch.equal(trace["x"], value)


def test_a_module_that_runs_twice_keeps_its_last_values() -> None:
    connection = SublayerConnection(6, dropout=0.0)
    first, second = torch.randn(2, 6), torch.randn(3, 6)
    with record(connection) as trace:
        connection(first, lambda x: x)
        connection(second, lambda x: x)
    assert torch.equal(trace["input"], second)


def test_the_generator_shows_logits_before_log_probabilities() -> None:
    model = small_model()
    with record(model) as trace:
        model.generator(torch.randn(2, 24))
    assert trace["generator.logits"].shape == (2, TGT_VOCAB)
    assert_within(trace["generator.logits"].log_softmax(-1), trace["generator.log_probs"], 1e-6)


def test_a_value_without_a_gradient_is_kept_as_it_is_and_one_with_a_gradient_without_it() -> None:
    module, plain, learned = nn.Identity(), torch.randn(T), torch.randn(T, requires_grad=True)
    with record(module) as trace:
        tap(module, "plain", plain)
        tap(module, "learned", learned)
    assert trace["plain"] is plain
    assert not trace["learned"].requires_grad
    assert trace["learned"].data_ptr() == learned.data_ptr()
