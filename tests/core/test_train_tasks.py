"""A run of any task: its sizes, what it trains on and is examined on, and that it learns."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from transformer_core.loss import LabelSmoothing
from transformer_core.schedule import learning_rate
from transformer_core.tasks.batch import Batch
from transformer_core.tasks.copy_task import copy_sequences
from transformer_core.tasks.vocabulary import PAD
from transformer_core.training.config import TrainConfig
from transformer_core.training.evaluation import answered
from transformer_core.training.history import History
from transformer_core.training.memory import PAIRS
from transformer_core.training.models import fresh_model
from transformer_core.training.probing import probe_of, watched_of
from transformer_core.training.run import TrainingRun

WORDS = [("reverse", "en-zh"), ("sort", "en-zh"), ("translate", "en-zh"), ("translate", "zh-en"), ("translate", "both")]
SMALL: dict[str, Any] = {"d_model": 32, "h": 4, "batch": 12, "steps": 30, "warmup": 10, "rate": 8e-3}


@pytest.fixture(params=WORDS, ids=" ".join)
def small(request: pytest.FixtureRequest) -> TrainConfig:
    return TrainConfig.of_task(*request.param, **SMALL)


def rows(tokens: torch.Tensor) -> set[tuple[int, ...]]:
    return {tuple(token for token in row if token != PAD) for row in tokens.tolist()}


def test_the_loss_of_every_task_falls(small: TrainConfig):
    run = TrainingRun(small)
    losses = [run.update().loss for _ in range(small.steps)]
    assert np.mean(losses[-5:]) < 0.9 * losses[0]


def test_no_pair_of_an_examination_is_in_any_batch(small: TrainConfig, monkeypatch: pytest.MonkeyPatch):
    seen: set[tuple[int, ...]] = set()

    class Spied(Batch):
        def __init__(self, src, tgt, **how):
            super().__init__(src, tgt, **how)
            seen.update(rows(src))

    run = TrainingRun(small)
    with monkeypatch.context() as patch:
        patch.setattr("transformer_core.training.lessons.Batch", Spied)
        for _ in range(10):
            run.update()
    assert len(seen) > 100
    assert not seen & rows(run.examination.pairs(1000).src)


def test_what_is_watched_is_held_out_and_its_target_may_have_another_length():
    config = TrainConfig.of_task("translate", **SMALL | {"N": 2, "steps": 5})
    english, chinese = config.vocabularies
    run = TrainingRun(config)
    (source,), (target,) = map(rows, run.watched.probe)
    assert source == probe_of(config)
    assert source in rows(run.examination.pairs(100).src)
    assert len(source) != len(target)
    reports = [run.looked(run.update()) for _ in range(2)]
    history, log_probs = History.of(reports), np.array([one.probe.log_probs for one in reports if one.probe])
    assert history.cross_attention.shape == (2, 2, 4, len(target) - 1, len(source))
    assert log_probs.shape == (2, len(target) - 1, len(chinese))
    assert len(english) != len(chinese)
    np.testing.assert_array_equal(history.choices[:, 0, : len(target) - 1], log_probs.argmax(-1))
    np.testing.assert_allclose(history.cross_attention.astype(float).sum(-1), 1, atol=2e-3)


def test_the_choices_for_what_is_watched_are_those_of_each_sentence_alone(small: TrainConfig):
    run = TrainingRun(small)
    for _ in range(3):
        run.update()
    sources = watched_of(small)
    assert len(set(sources)) == PAIRS
    assert {*sources} <= rows(run.examination.pairs(100).src)
    choices = run.look().choices
    assert choices.dtype == np.int16
    for row, source in zip(choices, sources):
        alone = TrainingRun(small, source)
        alone.model = run.model
        log_probs = alone.look().log_probs
        chosen = np.take_along_axis(log_probs, row[: len(log_probs), None].astype(int), 1)[:, 0]
        np.testing.assert_allclose(chosen, log_probs.max(1), atol=1e-4)


def test_another_source_can_be_watched_if_the_task_has_a_target_for_it():
    config = TrainConfig.of_task("translate", "zh-en", **SMALL)
    chinese, english = config.vocabularies
    run = TrainingRun(config, tuple(chinese.sequence(chinese.read("她喝茶"))))
    assert english.text(run.watched.probe.tgt[0].tolist()) == "she drinks tea"
    with pytest.raises(ValueError, match="no target for the probe"):
        TrainingRun(config, tuple(chinese.sequence(chinese.read("茶喝茶"))))


def test_sizes_follow_from_a_task_with_words_of_its_own(small: TrainConfig):
    source, target = small.vocabularies
    assert (small.vocab, small.tgt_vocab, small.min_length) == (len(source), len(target), None)
    assert small.words is not None
    assert small.length == max(small.words.longest)
    assert replace(small, vocab=7, length=5, min_length=3) == small
    assert TrainConfig.from_dict(small.to_dict()) == small


def test_rows_of_numbers_are_called_by_their_ids():
    source, target = TrainConfig(vocab=7).vocabularies
    assert source == target
    assert source.names[2:] == ("2", "3", "4", "5", "6")


@pytest.mark.parametrize("architecture", ["transformer", "recurrent", "convolution"])
def test_every_architecture_has_the_vocabularies_of_its_task(architecture: str):
    config = TrainConfig.of_task("translate", architecture=architecture, N=2, d_model=24)
    model = fresh_model(config)
    assert config.parameters == sum(parameter.numel() for parameter in model.parameters())
    assert model.generator.proj.out_features == config.tgt_vocab != config.vocab
    assert not answered(model.eval(), TrainingRun(config).examination.pairs(20)).any()


def test_a_recipe_gives_way_to_what_is_asked_for():
    config = TrainConfig.of_task("translate", "both", batch=5, seed=3)
    assert (config.task, config.direction, config.batch, config.seed) == ("translate", "both", 5, 3)
    assert config.steps > TrainConfig.of_task("translate").steps > TrainConfig().steps
    assert TrainConfig.of_task("copy") == TrainConfig()
    assert TrainConfig.of_task("random", seed=4) == TrainConfig.random(seed=4)
    with pytest.raises(ValueError, match="task must be one of"):
        TrainConfig.of_task("add")


def test_the_copy_run_is_what_it_always_was():
    """The same draws in the same order, the same sums but for their rounding: written out here once more."""
    config = TrainConfig(vocab=9, length=7, min_length=4, d_model=12, h=3, batch=5, steps=6, warmup=2, seed=3)
    run, model = TrainingRun(config), fresh_model(config)
    optimizer = torch.optim.AdamW(model.parameters(), betas=(0.9, 0.98), eps=1e-9, weight_decay=0.0, fused=True)
    criterion = LabelSmoothing(9, PAD, 0.0)
    batches, fresh = (torch.Generator().manual_seed(4 * config.seed + purpose) for purpose in (1, 2))
    for step in range(1, config.steps + 1):
        sequences = copy_sequences(9, 5, 7, 4, batches)
        batch = Batch(sequences, sequences)
        log_probs = model.generator(model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask))
        loss = criterion(log_probs.flatten(0, 1), batch.tgt_y.flatten()) / batch.ntokens
        loss.backward()
        optimizer.param_groups[0]["lr"] = learning_rate(config, step)
        optimizer.step()
        optimizer.zero_grad()
        assert run.update().loss == pytest.approx(loss.item(), rel=1e-4)
    assert torch.equal(run.examination.pairs(9).src, copy_sequences(9, 9, 7, 4, fresh))
