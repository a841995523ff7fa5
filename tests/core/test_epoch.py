"""One pass over the data."""

import itertools
import math

import pytest
import torch
from torch import Tensor

from tests.core.build import TGT_VOCAB, log_probs, small_batch, small_model
from transformer_core import (
    EncoderDecoder,
    EpochStep,
    LabelSmoothing,
    SimpleLossCompute,
    copy_sequences,
    data_generator,
    get_std_opt,
    greedy_decode,
    make_model,
    run_epoch,
)


def weights_of(model: EncoderDecoder) -> Tensor:
    return torch.cat([parameter.detach().flatten() for parameter in model.parameters()])


def test_the_mean_is_over_tokens_and_not_over_batches() -> None:
    model, batches = small_model(), [small_batch() for _ in range(3)]
    batches[1].tgt_y[0] = 0  # fewer answers, so that the batches weigh differently
    batches[1].ntokens = int((batches[1].tgt_y != 0).sum())
    criterion = LabelSmoothing(TGT_VOCAB, padding_idx=0, smoothing=0.1)
    sums = [criterion(log_probs(model, batch).flatten(0, 1), batch.tgt_y.flatten()).item() for batch in batches]
    tokens = [batch.ntokens for batch in batches]
    steps: list[EpochStep] = []

    mean = run_epoch(batches, model, SimpleLossCompute(model.generator, criterion), steps.append)

    assert len(set(tokens)) > 1
    assert mean == pytest.approx(sum(sums) / sum(tokens), rel=1e-5)
    assert [step.step for step in steps] == [1, 2, 3]
    assert [step.loss for step in steps] == pytest.approx([s / n for s, n in zip(sums, tokens)], rel=1e-5)
    assert all(0 < step.tokens_per_second < math.inf for step in steps)


def test_without_an_optimiser_nothing_is_learned_even_in_training_mode() -> None:
    model = small_model().train()
    before = weights_of(model)
    run_epoch([small_batch()], model, SimpleLossCompute(model.generator, LabelSmoothing(TGT_VOCAB, 0)))
    assert torch.equal(weights_of(model), before)


def test_with_an_optimiser_the_model_learns_even_in_evaluation_mode() -> None:
    # The notes evaluate with the loss that holds the optimiser, and so go on training while they evaluate.
    model, batch = small_model().eval(), small_batch()
    criterion = LabelSmoothing(TGT_VOCAB, padding_idx=0)
    evaluate = SimpleLossCompute(model.generator, criterion)
    learn = SimpleLossCompute(model.generator, criterion, get_std_opt(model, warmup=20))
    before, loss_before = weights_of(model), run_epoch([batch], model, evaluate)

    run_epoch([batch] * 20, model, learn)

    assert not torch.equal(weights_of(model), before)
    assert run_epoch([batch], model, evaluate) < loss_before / 2


def test_each_update_starts_from_fresh_gradients() -> None:
    model = small_model()
    opt = get_std_opt(model)
    run_epoch([small_batch()], model, SimpleLossCompute(model.generator, LabelSmoothing(TGT_VOCAB, 0), opt))
    assert opt.steps == 1
    assert all(parameter.grad is None for parameter in model.parameters())


@pytest.mark.long
def test_the_loop_of_the_notes_learns_to_copy() -> None:
    model = make_model(11, 11, N=1, d_model=32, d_ff=128, h=4, dropout=0.0, max_len=10)
    with torch.no_grad():  # a table small beside the positions lets the copying heads form early
        for embed in (model.src_embed, model.tgt_embed):
            embed.get_parameter("0.lut.weight").normal_(0, 0.3 * 32**-0.5)
    criterion = LabelSmoothing(size=11, padding_idx=0, smoothing=0.0)
    learn = SimpleLossCompute(model.generator, criterion, get_std_opt(model, factor=0.5, warmup=50))
    evaluate = SimpleLossCompute(model.generator, criterion)
    guess = run_epoch(data_generator(11, 32, 5), model.eval(), evaluate)

    for _ in itertools.repeat(None, 10):
        run_epoch(data_generator(11, 32, 20), model.train(), learn)

    assert guess > math.log(10) - 0.3
    assert run_epoch(data_generator(11, 32, 5), model.eval(), evaluate) < 0.2
    src = copy_sequences(11, 100, 10)  # not each of them comes back after so few updates, whatever the processor
    out = greedy_decode(model, src, torch.ones(1, 1, 10), max_len=10, start_symbol=1)
    assert (out == src)[:, 1:].float().mean() > 0.6
