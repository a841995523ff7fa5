"""What a run may do without: the order of its tokens, its look-ahead mask, new batches, right answers."""

import math
from dataclasses import replace
from functools import partial
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from transformer_core import PAD, Batch, EncoderDecoder, make_model, padding_mask, record, target_mask
from transformer_core.backward import covers
from transformer_core.positions import order_gap
from transformer_core.tasks import Copy, Translation
from transformer_core.training.checkpoint import load, to_bytes
from transformer_core.training.config import TrainConfig
from transformer_core.training.guess import floor_of, guess_of
from transformer_core.training.lessons import Lessons, spoilt
from transformer_core.training.models import BATCHES, fresh_model, stream
from transformer_core.training.run import LOST, PATIENCE, Exploded, TrainingRun

SMALL = TrainConfig(vocab=9, length=7, N=2, d_model=12, h=3, d_ff=10, batch=5, steps=12, warmup=4, seed=3)
SOURCE = torch.tensor([[1, 4, 7, 2, 2, 8, 5]])
VOCAB, LONGEST, HEADS = 11, 9, 2


def lessons(config: TrainConfig) -> Lessons:
    return Lessons(config, Copy(config.vocab, config.length), stream(config.seed, BATCHES))


def encoded(model: EncoderDecoder, code: nn.Module, x: Tensor) -> Tensor:
    memory: Tensor = model.encoder(code(x), None)
    return memory


def test_without_positions_the_encoder_cannot_tell_in_which_order_the_tokens_came() -> None:
    order = torch.tensor([0, 3, 1, 6, 5, 2, 4])
    gaps = {}
    for positions in (True, False):
        torch.manual_seed(0)
        model = make_model(VOCAB, VOCAB, 2, 12, 20, HEADS, 0.0, positions=positions, max_len=LONGEST).eval().double()
        table, code = model.src_embed.children()
        with torch.no_grad():
            x = table(SOURCE)
            gaps[positions] = order_gap(partial(encoded, model, code), x, order).abs().max()
    assert gaps[False] < 1e-12
    assert gaps[True] > 1e-3


def test_what_is_added_without_positions_is_zeros_on_both_sides_and_the_backward_pass_covers_it() -> None:
    model = fresh_model(replace(SMALL, positions=False)).eval()
    tgt = SOURCE[:, :-1]
    with torch.no_grad(), record(model) as trace:
        model(SOURCE, tgt, padding_mask(SOURCE), target_mask(tgt))
    for side in ("src_embed", "tgt_embed"):
        assert not trace[f"{side}.1.code"].any()
        assert torch.equal(trace[f"{side}.1.output"], trace[f"{side}.0.output"])
    assert covers(model)


def test_models_with_and_without_positions_start_with_the_same_weights() -> None:
    with_code, without = (fresh_model(replace(SMALL, positions=positions)) for positions in (True, False))
    for one, other in zip(with_code.parameters(), without.parameters(), strict=True):
        assert torch.equal(one, other)
    assert SMALL.parameters == replace(SMALL, positions=False).parameters


def test_a_model_without_positions_is_saved_and_read_as_one() -> None:
    config = replace(SMALL, positions=False, look_ahead=False, noise=0.25, batches=3)
    read = load(to_bytes(fresh_model(config), config, 0))
    assert read.config == config
    assert not read.model.get_submodule("src_embed.1").get_buffer("pe").any()


def test_without_look_ahead_every_row_of_the_mask_shows_all_but_padding() -> None:
    src, tgt = torch.tensor([[1, 4, 5, 6], [1, 7, 2, PAD]]), torch.tensor([[1, 4, 5, 6, 2], [1, 7, 2, PAD, PAD]])
    batch = Batch(src, tgt, look_ahead=False)
    rows = batch.tgt_mask.broadcast_to(2, 4, 4)
    assert torch.equal(rows, (batch.tgt != PAD).unsqueeze(1).expand(2, 4, 4))
    assert torch.equal(Batch(src, tgt).tgt_mask, rows & torch.ones(4, 4, dtype=torch.bool).tril())


def test_without_look_ahead_the_answer_moves_what_is_said_at_its_own_place() -> None:
    model, tgt = fresh_model(SMALL).eval(), torch.tensor([[1, 4, 7, 2, 2, 8, 5]])
    other = tgt.clone()
    other[0, 3] = 6  # what is to be predicted at place 2
    for look_ahead in (True, False):
        with torch.no_grad():
            one, two = (
                model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)[0, 2]
                for batch in (Batch(SOURCE, each, look_ahead=look_ahead) for each in (tgt, other))
            )
        assert torch.equal(one, two) == look_ahead


@pytest.mark.parametrize("noise", [0.0, 0.5])
def test_batches_come_again_in_their_order_with_the_answers_that_they_had(noise: float) -> None:
    few = lessons(replace(SMALL, batches=3, noise=noise))
    seen = [few.batch(step) for step in range(7)]
    for step, batch in enumerate(seen):
        first = seen[step % 3]
        assert torch.equal(batch.src, first.src)
        assert torch.equal(batch.tgt_y, first.tgt_y)
    assert not torch.equal(seen[0].src, seen[1].src)


def test_a_run_with_noise_or_fewer_batches_reads_the_pairs_of_the_run_without() -> None:
    plain, spoilt_ones, few = (
        lessons(replace(SMALL, **changes)) for changes in ({}, {"noise": 0.4}, {"batches": 2, "look_ahead": False})
    )
    for step in range(2):
        batches = [each.batch(step) for each in (plain, spoilt_ones, few)]
        for batch in batches[1:]:
            assert torch.equal(batch.src, batches[0].src)
            assert torch.equal(batch.tgt, batches[0].tgt)


def test_the_share_of_answers_that_are_drawn_anew_is_the_noise_and_padding_stays() -> None:
    _, tgt = Translation().pairs(400, torch.Generator().manual_seed(1))
    answers, vocab = tgt[:, 1:], len(Translation().target)
    found = spoilt(answers, 0.2, vocab, torch.Generator().manual_seed(2))
    real = answers != PAD
    assert torch.equal(found[~real], answers[~real])
    assert (found[real] != PAD).all()
    changed = (found != answers)[real].double().mean().item()
    deviation = math.sqrt(0.2 * 0.8 / int(real.sum()))
    assert changed == pytest.approx(0.2 * (1 - 1 / (vocab - 1)), abs=5 * deviation), "the right one is drawn, too"
    assert spoilt(answers, 0.0, vocab, torch.Generator()) is answers


def test_no_loss_stays_below_the_entropy_of_what_is_to_be_predicted() -> None:
    config = TrainConfig(noise=0.2)
    right, other = 0.8 + 0.02, 0.02  # of ten answers
    assert floor_of(config) == pytest.approx(-right * math.log(right) - 9 * other * math.log(other), rel=1e-6)
    assert floor_of(replace(config, noise=0.0)) == 0.0
    assert floor_of(replace(config, noise=1.0)) == pytest.approx(guess_of(config), rel=1e-6)
    smooth = replace(config, smoothing=0.1)
    assert floor_of(replace(smooth, noise=1.0)) == pytest.approx(guess_of(smooth), rel=1e-6)
    assert 0 < floor_of(smooth) < floor_of(config), "smoothed targets are spoilt already"


def losses(run: TrainingRun) -> list[float]:
    found: list[float] = []
    with pytest.raises(Exploded, match=f"above .* for {PATIENCE} steps"):
        found.extend(report.loss for report in run.work() if report is not None)
    return found


def test_a_loss_far_above_guessing_for_long_ends_the_run_after_its_report() -> None:
    run = TrainingRun(replace(SMALL, steps=100))
    with torch.no_grad():
        run.model.generator.proj.bias[PAD] = 200.0  # which is never an answer
    found = losses(run)
    assert run.step == len(found) - 1 == PATIENCE
    assert min(found[1:]) > LOST * math.log(SMALL.tgt_vocab - 1)


def test_a_loss_that_comes_back_in_time_ends_nothing() -> None:
    run = TrainingRun(replace(SMALL, steps=PATIENCE + 5))
    bias = run.model.generator.proj.bias
    seen = []
    for report in run.work():
        if report is not None:
            seen.append(report.step)
            with torch.no_grad():
                bias[PAD] = 0.0 if report.step == PATIENCE - 1 else 200.0 if report.step < PATIENCE - 1 else bias[PAD]
    assert seen[-1] == PATIENCE + 5


@pytest.mark.parametrize("changes", [{"positions": False}, {"look_ahead": False}, {"noise": 0.5, "batches": 2}])
def test_the_gradient_of_such_a_run_is_that_of_autograd(changes: dict[str, Any]) -> None:
    run = TrainingRun(replace(SMALL, **changes))
    assert run.gradient.by_hand
    batch = run._lessons.batch(0)
    run.gradient.of(batch)
    found = run.vector.values.grad
    assert found is not None
    found = found.clone()
    run.vector.end()
    run.gradient.by_hand = False
    run.gradient.of(batch)
    assert run.vector.values.grad is not None
    assert (found - run.vector.values.grad).abs().max() < 1e-5
