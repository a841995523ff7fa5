"""The task without a rule: what is learned there is memorised, and helps with nothing else."""

import math

import pytest
import torch

from transformer_core.tasks.random_task import TRAINED, random_pairs, some_of
from transformer_core.tasks.vocabulary import PAD, START
from transformer_core.train import train
from transformer_core.training.config import TrainConfig
from transformer_core.training.history import History
from transformer_core.training.run import TrainingRun

SMALL = TrainConfig(
    task="random", vocab=200, length=6, d_model=32, h=2, batch=16, rate=5e-3, clip=1.0, steps=60, seed=4
)


def test_a_target_has_nothing_of_its_source_but_the_start_symbol():
    src, tgt = random_pairs(50, 4000, 5, generator=torch.Generator().manual_seed(1))
    assert src.shape == tgt.shape == (4000, 5)
    assert (src[:, 0] == START).all()
    assert (tgt[:, 0] == START).all()
    assert float((src == tgt)[:, 1:].float().mean()) == pytest.approx(1 / 49, abs=0.01)


def test_targets_may_have_paddings_of_their_own():
    src, tgt = random_pairs(9, 300, 6, 3, torch.Generator().manual_seed(2))
    assert ((src == PAD).sum(1) != (tgt == PAD).sum(1)).any()
    assert (tgt[:, :3] != PAD).all()


def test_what_is_drawn_from_the_pairs_are_pairs():
    pairs = random_pairs(1000, 7, 5, generator=torch.Generator().manual_seed(3))
    src, tgt = some_of(pairs, 40, torch.Generator().manual_seed(5))
    known = {(*a, *b) for a, b in zip(pairs.src.tolist(), pairs.tgt.tolist())}
    assert src.shape == (40, 5)
    assert {(*a, *b) for a, b in zip(src.tolist(), tgt.tolist())} <= known


def test_the_loss_starts_at_ln_v_and_falls_for_the_pairs_that_are_trained_and_for_no_others():
    history = History.of(list(train(SMALL)))
    guessing = math.log(SMALL.vocab - 1)
    held_out = history.held_out[[0, *range(5, 61, 5)]]
    assert history.loss[0] == history.held_out[0] == pytest.approx(guessing, abs=0.4)
    assert history.loss[-5:].mean() < guessing - 1.5
    assert held_out.min() > guessing - 0.2
    assert held_out[-1] > guessing + 0.5
    assert history.exact_match[-1] == 0
    assert history.cross_attention.size == history.choices.size == 0


def test_a_run_sees_the_same_pairs_again_and_again():
    run = TrainingRun(SMALL)
    seen = {tuple(row) for row in run.task.pairs(1000).src.tolist()}
    assert len(seen) == TRAINED
    assert not seen & {tuple(row) for row in run.examination.pairs(32).src.tolist()}


def test_a_batch_of_the_copy_task_is_always_fresh_and_nothing_is_held_out():
    reports = list(train(TrainConfig(vocab=7, length=5, d_model=8, h=2, batch=4, steps=11)))
    assert [report.held_out for report in reports] == [None] * 12


def test_the_settings_of_the_notes_second_loop():
    config = TrainConfig.random(seed=3)
    assert (config.vocab, config.rate, config.clip, config.schedule) == (10_000, 1e-4, 1.0, "constant")
    assert config.seed == 3
