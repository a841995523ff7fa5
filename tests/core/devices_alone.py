"""Every function runs where the model is, with the CPU's numbers: on a simulated device that refuses the CPU's tensors
and float64, as real ones do. `pytest --device cuda tests/core/devices_alone.py` runs them on a card that is there.
"""

from collections.abc import Callable, Iterator
from copy import deepcopy
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from tests.core.build import SRC_VOCAB, TGT_VOCAB, assert_within, log_probs, small_batch, small_model
from tests.core.simulated_device import simulated
from transformer_core import (
    Batch,
    EncoderDecoder,
    LabelSmoothing,
    beam_search,
    cached_decode,
    copy_sequences,
    data_generator,
    explain,
    greedy_decode,
    greedy_steps,
    intervene,
    make_model,
    position_code,
    record,
    sampled_turns,
    sampling_steps,
    shift_rotation,
    subsequent_mask,
    wavelengths,
)
from transformer_core.backward import backward, loss_gradient
from transformer_core.dropout import dropout_steps
from transformer_core.experiments.ablation import ablations
from transformer_core.experiments.contributions import contributions
from transformer_core.experiments.interventions import head_off, row_by_hand
from transformer_core.experiments.probes import causality_probe, padding_probe, prefix_probe
from transformer_core.experiments.score_size import drawn_embeddings, sampled_products, size_statistics
from transformer_core.positions import product_at_distance
from transformer_core.random_seed import Seeded
from transformer_core.tasks.batch import Pairs
from transformer_core.tasks.padding import random_sequences
from transformer_core.tasks.random_task import some_of
from transformer_core.training.state_dict import Imported, load_any
from transformer_core.verify.gradients import sampled

MAX_LEN = 6
SAME = 1e-6  # the device computes the CPU's own numbers; but for a sum that NumPy or PyTorch may order in another way
NEARLY = 1e-5  # a real one rounds in its own way


@pytest.fixture
def device(request: pytest.FixtureRequest) -> Iterator[torch.device]:
    if named := request.config.getoption("device"):
        yield torch.device(named, 0)
        return
    with simulated() as device:
        yield device


@pytest.fixture
def model() -> EncoderDecoder:
    torch.manual_seed(0)
    return small_model()


@pytest.fixture
def batch() -> Batch:
    return small_batch(torch.Generator().manual_seed(1))


def on(device: torch.device, model: nn.Module) -> Any:
    return deepcopy(model).to(device)


def same(found: Tensor, expected: Tensor) -> None:
    """The number that stands on the device, beside the CPU's."""
    assert found.device.type != "cpu", "the result has left the device"
    assert_within(found.detach().cpu(), expected.detach(), within(found.device))


def within(device: torch.device) -> float:
    return SAME if device.type == "gpu" else NEARLY


def test_the_readmes_program_runs_where_the_model_is(device: torch.device) -> None:
    mask = subsequent_mask(3, device=device)
    assert mask.device == device
    assert torch.equal(mask.cpu(), subsequent_mask(3))
    model = make_model(11, 11, N=1, d_model=8, d_ff=12, h=2).eval().to(device)
    src = torch.tensor([[1, 5, 2]], device=device)
    with record(model) as trace:
        model(src, src, None, mask)
    assert all(value.device == device for value in trace.values())


@pytest.mark.parametrize("norm_first", [True, False])
def test_every_recorded_value_is_the_cpus(device: torch.device, batch: Batch, norm_first: bool) -> None:
    model = small_model(norm_first)
    with record(model) as here:
        log_probs(model, batch)
    there = on(device, model)
    with record(there) as trace:
        log_probs(there, batch.to(device))
    assert trace.keys() == here.keys()
    for path, value in trace.items():
        same(value, here[path])


def test_an_intervention_changes_the_same(device: torch.device, model: EncoderDecoder, batch: Batch) -> None:
    path = "decoder.layers.1.src_attn"
    for changes in (head_off(path, 1), row_by_hand(path, 0, 2, [1.0, 2.0, 1.0])):
        with intervene(model, changes):
            expected = log_probs(model, batch)
        there = on(device, model)
        with intervene(there, changes):
            same(log_probs(there, batch.to(device)), expected)


def test_greedy_and_cached_decoding_write_the_same(device: torch.device, model: EncoderDecoder, batch: Batch) -> None:
    there, moved = on(device, model), batch.to(device)
    expected = greedy_decode(model, batch.src, batch.src_mask, MAX_LEN)
    for decode in (greedy_decode, cached_decode):
        found = decode(there, moved.src, moved.src_mask, MAX_LEN)
        assert found.device == device
        assert torch.equal(found.cpu(), expected)
    steps = list(greedy_steps(there, moved.src, moved.src_mask, MAX_LEN))
    assert len(steps) == MAX_LEN - 1
    assert steps[-1].tgt_mask.device == device


def test_beam_search_grows_the_same_tree(device: torch.device, model: EncoderDecoder, batch: Batch) -> None:
    there, moved = on(device, model), batch.to(device)
    found = beam_search(there, moved.src[:1], moved.src_mask[:1], MAX_LEN, 3, prefix=(4,))
    expected = beam_search(model, batch.src[:1], batch.src_mask[:1], MAX_LEN, 3, prefix=(4,))
    assert [(node.parent, node.token, node.fate) for node in found.nodes] == [
        (node.parent, node.token, node.fate) for node in expected.nodes
    ]
    for turn, other in zip(found.turns, expected.turns, strict=True):
        assert turn.sums.dtype == torch.float64
        assert turn.sums.device.type == "cpu"
        assert_within(turn.sums, other.sums, within(device))


@pytest.mark.parametrize("where", ["cpu", "there"])
def test_sampling_draws_from_the_same_with_a_generator_of_any_device(
    device: torch.device, model: EncoderDecoder, batch: Batch, where: str
) -> None:
    there, moved = on(device, model), batch.to(device)
    how: dict[str, Any] = {"temperature": 0.7, "top_k": 5, "top_p": 0.9}
    generator = torch.Generator(device if where == "there" else where).manual_seed(3)
    turns = list(sampled_turns(there, moved.src[:1], moved.src_mask[:1], MAX_LEN, generator, **how))
    assert len(turns) == MAX_LEN - 1
    assert all(0 <= turn.number < 1 for turn in turns)
    for turn in turns:
        for step, expected in zip(turn.steps, sampling_steps(turn.log_probs.cpu(), **how), strict=True):
            same(step, expected)
    if where == "cpu":
        expected_turns = sampled_turns(
            model, batch.src[:1], batch.src_mask[:1], MAX_LEN, torch.Generator().manual_seed(3), **how
        )
        assert [turn.choice for turn in turns] == [turn.choice for turn in expected_turns]


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_loss_and_the_backward_pass_by_hand(device: torch.device, batch: Batch, smoothing: float) -> None:
    torch.manual_seed(2)
    model = make_model(SRC_VOCAB, TGT_VOCAB, N=2, d_model=12, d_ff=10, h=3, dropout=0.0, max_len=9)

    def gradients(model: EncoderDecoder, batch: Batch) -> dict[str, Tensor]:
        criterion = LabelSmoothing(TGT_VOCAB, 0, smoothing)
        masks = batch.src_mask, batch.tgt_mask
        with torch.no_grad(), record(model) as trace:
            found = log_probs(model, batch)
            loss = criterion(found.flatten(0, 1), batch.tgt_y.flatten())
        assert criterion.true_dist is not None
        towards = loss_gradient(found, criterion.true_dist.view_as(found), batch.ntokens)
        return {"loss": loss, **backward(model, trace, batch.src, batch.tgt, *masks, towards)}

    expected = gradients(model, batch)
    found = gradients(on(device, model), batch.to(device))
    assert found.keys() == expected.keys()
    for name, gradient in found.items():
        same(gradient, expected[name])


@pytest.mark.parametrize("kind", [torch.bfloat16, torch.float64])
def test_loss_and_backward_pass_keep_the_models_own_precision(kind: torch.dtype, batch: Batch) -> None:
    torch.manual_seed(2)
    model = make_model(SRC_VOCAB, TGT_VOCAB, N=2, d_model=12, d_ff=10, h=3, dropout=0.0, max_len=9).to(kind)
    criterion = LabelSmoothing(TGT_VOCAB, 0, 0.1)
    with torch.no_grad(), record(model) as trace:
        found = log_probs(model, batch)
        assert criterion(found.flatten(0, 1), batch.tgt_y.flatten()).isfinite()
    assert criterion.true_dist is not None
    towards = loss_gradient(found, criterion.true_dist.view_as(found), batch.ntokens)
    masks = batch.src_mask, batch.tgt_mask
    gradients = backward(model, trace, batch.src, batch.tgt, *masks, towards)
    assert {gradient.dtype for gradient in gradients.values()} == {kind}


@pytest.mark.parametrize("kind", [torch.bfloat16, torch.float16, torch.float64])
def test_a_model_of_any_precision_is_recorded_decoded_and_probed(
    model: EncoderDecoder, batch: Batch, kind: torch.dtype
) -> None:
    model = model.to(kind)
    src, src_mask, tgt = batch.src[:1], batch.src_mask[:1], batch.tgt[:1]
    with record(model) as trace, torch.no_grad(), intervene(model, head_off("encoder.layers.0.self_attn", 2)):
        log_probs(model, batch)
    assert {value.dtype for value in trace.values()} == {kind}
    outputs = greedy_decode(model, batch.src, batch.src_mask, MAX_LEN)
    assert outputs.shape == (len(batch.src), MAX_LEN)
    assert cached_decode(model, batch.src, batch.src_mask, MAX_LEN).shape == outputs.shape
    (best, *_) = (tree := beam_search(model, src, src_mask, MAX_LEN, 3)).finished(0.6)
    assert len(tree.output(best)) == MAX_LEN
    for turn in sampled_turns(model, src, src_mask, MAX_LEN, torch.Generator().manual_seed(3), top_p=0.8):
        assert {step.dtype for step in turn.steps} == {kind}
    assert not causality_probe(model, src, tgt).difference.triu(1).any()  # the future is hidden exactly
    assert prefix_probe(model, src, tgt).difference.isfinite().all()
    assert padding_probe(model, src, 2).difference.isfinite().all()
    found = contributions(model, trace, 2, 3, 5)
    assert abs(found.remainder) <= 64 * torch.finfo(kind).eps * max(1.0, float(found.logits.abs().max()))
    target = torch.cat([batch.tgt, batch.tgt_y[:, -1:]], 1)
    assert next(ablations(model, Pairs(batch.src, target)))[1].losses.isfinite().all()


def test_explain_shows_a_model_of_theirs(device: torch.device) -> None:
    torch.manual_seed(3)

    class Theirs(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.src, self.tgt = nn.Embedding(13, 12), nn.Embedding(11, 12)
            self.core = nn.Transformer(12, 4, 2, 2, 10, batch_first=True)
            self.out = nn.Linear(12, 11)

        def forward(self, src: Tensor, tgt: Tensor) -> Tensor:
            mask = ~subsequent_mask(tgt.size(1), device=tgt.device)[0]
            out: Tensor = self.out(self.core(self.src(src), self.tgt(tgt), tgt_mask=mask))
            return out

    theirs = Theirs().eval()
    src, tgt = torch.randint(1, 13, (2, 7)), torch.randint(1, 11, (2, 5))
    expected = explain(theirs, src, tgt)
    there = on(device, theirs)
    found = explain(there, src.to(device), tgt.to(device))
    assert found.trace.keys() == expected.trace.keys()
    for path, value in found.trace.items():
        same(value, expected.trace[path])
    assert found.weights("decoder", 1).rows == expected.weights("decoder", 1).rows
    with pytest.raises(ValueError, match=f"the tokens on cpu, the model on {device}"):
        explain(there, src, tgt)
    with pytest.raises(ValueError, match=f"source on {device}, target on cpu"):
        explain(there, src.to(device), tgt)


def test_mixed_devices_are_told_in_a_sentence(device: torch.device, model: EncoderDecoder, batch: Batch) -> None:
    there, moved = on(device, model), batch.to(device)
    attend, x = there.decoder.layers[0].self_attn.attend, torch.ones(1, 2, 3)
    criterion = LabelSmoothing(TGT_VOCAB, 0)
    mixed: list[tuple[Callable[[], object], str]] = [
        (lambda: log_probs(there, batch), f"token ids on cpu, the table of embeddings on {device}"),
        (lambda: log_probs(model, moved), f"token ids on {device}, the table of embeddings on cpu"),
        (lambda: there.encode(moved.src, batch.src_mask), f"scores on {device}, mask on cpu"),
        (lambda: there.decode(model.encode(batch.src, None), None, moved.tgt, None), "memory on cpu, target"),
        (lambda: greedy_decode(there, batch.src, None, MAX_LEN), "token ids on cpu"),
        (
            lambda: attend(x.to(device), x, x, None),
            f"queries on {device}, keys on cpu",
        ),
        (
            lambda: criterion(log_probs(there, moved)[0], batch.tgt_y[0]),
            f"log probabilities on {device}, targets on cpu",
        ),
    ]
    for act, said in mixed:
        with pytest.raises(ValueError, match=said):
            act()


def test_a_state_dict_of_the_device_loads_and_stays_there(device: torch.device, batch: Batch) -> None:
    torch.manual_seed(4)
    model = make_model(SRC_VOCAB, TGT_VOCAB, N=2, d_model=24, d_ff=10, h=4).eval()
    there = on(device, model)
    found = load_any(there.state_dict(), h=4)
    assert isinstance(found, Imported)
    same(log_probs(found.model, batch.to(device)), log_probs(model, batch))


@pytest.mark.parametrize("look_ahead", [True, False])
def test_probes_run_there(device: torch.device, model: EncoderDecoder, batch: Batch, look_ahead: bool) -> None:
    there, moved = on(device, model), batch.to(device)
    src, tgt = batch.src[:1], batch.tgt[:1]
    for probe in (causality_probe, prefix_probe):
        expected = probe(model, src, tgt, look_ahead=look_ahead)
        same(probe(there, moved.src[:1], moved.tgt[:1], look_ahead=look_ahead).difference, expected.difference)
    same(padding_probe(there, moved.src[:1], 3).difference, padding_probe(model, src, 3).difference)


def test_experiments_on_a_model_run_there(device: torch.device, model: EncoderDecoder, batch: Batch) -> None:
    there, moved = on(device, model), batch.to(device)
    target = torch.cat([batch.tgt, batch.tgt_y[:, -1:]], 1)
    expected = ablations(model, Pairs(batch.src, target))
    for (head, found), (other, scores) in zip(
        ablations(there, Pairs(moved.src, target.to(device))), expected, strict=True
    ):
        assert head == other
        assert found.exact_match == scores.exact_match
        assert found.loss == pytest.approx(scores.loss, rel=within(device))
    parts = []
    for one, given in ((model, batch), (there, moved)):
        with torch.no_grad(), record(one) as trace:
            log_probs(one, given)
        parts.append(contributions(one, trace, 2, 3, 5))
    assert parts[1].total == pytest.approx(parts[0].total, abs=within(device))


def test_gradients_of_a_model_there_are_checked_in_float64(device: torch.device) -> None:
    torch.manual_seed(5)
    model = make_model(7, 8, N=1, d_model=6, d_ff=10, h=2, dropout=0.0, max_len=9)
    src, tgt = torch.tensor([[1, 5, 2]]), torch.tensor([[1, 7]])
    found = sampled(on(device, model), src.to(device), tgt.to(device))
    assert [one.name for one in found] == [name for name, _ in model.named_parameters()]
    assert max(one.error for one in found) < 1e-6


def test_positions_are_given_where_and_as_they_are_asked_for(device: torch.device) -> None:
    code = position_code(9, 12, device=device)
    same(code, position_code(9, 12))
    turned = shift_rotation(3, 12, dtype=torch.float32, device=device) @ code[:-3].T
    assert_within(turned.T.cpu(), position_code(9, 12)[3:], 1e-5)
    same(wavelengths(12, dtype=torch.float32, device=device), wavelengths(12).float())
    distances = torch.arange(5)
    products = product_at_distance(distances.to(device), 12)
    assert_within(products.cpu(), product_at_distance(distances, 12), 1e-12)


def test_whatever_draws_takes_a_generator_of_any_device(device: torch.device) -> None:
    def drawn(where: torch.device | str) -> list[Tensor]:
        generator = torch.Generator(where).manual_seed(5)
        rows = copy_sequences(11, 6, 8, 3, generator)
        products = sampled_products(torch.tensor([2, 5]), 3, 4, generator)
        embeddings = drawn_embeddings(torch.tensor([1, 3]).to(where), 7, 6, enlarge=True, generator=generator)
        few = some_of(Pairs(rows, rows), 3, generator)
        batches = data_generator(9, 4, 2, 5, generator)
        dropped = dropout_steps(torch.ones(3, 4, device=where), 0.3, generator).output
        return [
            rows, *few, *random_sequences([2, 4], 9, generator), products.products, embeddings, dropped,
            size_statistics(products.products).entropy, *(batch.tgt_mask for batch in batches),
        ]  # fmt: skip

    for found, expected in zip(drawn(device), drawn("cpu"), strict=True):
        assert found.device == device
        assert found.shape == expected.shape
        if device.type == "gpu":  # a real one's generator has numbers of its own
            same(found.float(), expected.float())
    (batch,) = data_generator(9, 4, 1, generator=torch.Generator().manual_seed(6), device=device)
    (other,) = data_generator(9, 4, 1, generator=torch.Generator().manual_seed(6))
    assert batch.src.device == device
    assert torch.equal(batch.src.cpu(), other.src)
    with Seeded(7):
        found = torch.rand(3, device=device)
    with Seeded(7):
        assert torch.equal(torch.rand(3, device=device), found)


def test_a_batch_moves_whole_and_leaves_the_first_where_it_was(device: torch.device, batch: Batch) -> None:
    moved = batch.to(device)
    assert moved.ntokens == batch.ntokens
    for name, value in vars(batch).items():
        if isinstance(value, Tensor):
            assert value.device.type == "cpu"
            assert torch.equal(vars(moved)[name].cpu(), value)
            assert vars(moved)[name].device == device
