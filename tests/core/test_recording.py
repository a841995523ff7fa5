"""Which steps of a run are looked at: more where something changes, a bounded number, and without any effect."""

import math
from dataclasses import replace
from functools import cache
from itertools import islice
from unittest.mock import patch

import numpy as np
import pytest
import torch

from transformer_core.tasks.pair_examples import example
from transformer_core.tasks.pair_lines import read_pairs
from transformer_core.train import train
from transformer_core.training import run as run_module
from transformer_core.training.block_gradients import blocks_of
from transformer_core.training.config import TrainConfig
from transformer_core.training.history import EMPTY, RECORDED, History
from transformer_core.training.memory import EVEN, MORE, NUMBER, NUMBERS, TOKENS, resting
from transformer_core.training.probing import embedded_of, probe_of
from transformer_core.training.recording import JUMPED, MOVED, NEWEST, Recording, recorded_every
from transformer_core.training.report import Report
from transformer_core.training.run import TrainingRun

SMALL = TrainConfig(vocab=9, length=7, N=2, d_model=12, h=3, d_ff=10, batch=5, steps=30, warmup=4, dropout=0.2, seed=3)
LONG = TrainConfig(steps=1000)  # recorded every 5 steps
WORDS = TrainConfig.of_task("translate", "zh-en", d_model=8, h=2, batch=4, steps=12)
OWN = TrainConfig.of_task("pairs", pairs=read_pairs(example("plurals")).pairs.text, d_model=8, h=2, batch=4, steps=12)
RIVALS = [
    TrainConfig(vocab=6, length=9, d_model=8, h=2, steps=12, architecture=name) for name in ("recurrent", "convolution")
]


def report(step: int, loss: float, match: float | None = None) -> Report:
    return Report(step, loss, exact_match=match)


def recorded(config: TrainConfig, losses: list[float], matches: dict[int, float] | None = None) -> list[int]:
    """The steps that are recorded of a run with these losses."""
    recording = Recording(config)
    return [at for at, loss in enumerate(losses) if recording.due(report(at, loss, (matches or {}).get(at)))]


def test_a_run_in_which_nothing_changes_is_recorded_evenly() -> None:
    assert recorded(LONG, [2.0] * 200) == list(range(0, 200, 5))


def test_where_the_loss_moves_there_are_more_records() -> None:
    losses = [2.0] * 60 + list(np.linspace(2.0, 1.0, 40)) + [1.0] * 100
    found = recorded(LONG, losses)
    assert set(range(0, 200, 5)) <= set(found), "all that there would be anyway"
    more = [at for at in found if at % 5]
    assert more
    assert all(60 < at < 100 + 1 / NEWEST * 5 for at in more)
    back = recorded(LONG, [2.0, *(4.0 - loss for loss in losses[1:])])
    assert back == found, "whichever way it moves"


def test_a_record_comes_once_the_mean_has_moved_so_far_since_the_last_one() -> None:
    just = MOVED * 2.0 / NEWEST  # of one loss to the next, so that the mean moves by MOVED
    assert 6 in recorded(LONG, [2.0] * 6 + [2.0 + 1.01 * just])
    assert 6 not in recorded(LONG, [2.0] * 6 + [2.0 + 0.99 * just])


@pytest.mark.parametrize(("jump", "dense"), [(JUMPED, True), (0.9 * JUMPED, False)])
def test_while_the_exact_match_jumps_records_are_twice_as_dense(jump: float, dense: bool) -> None:
    matches = {0: 0.0, 10: 0.0, 20: jump, 30: jump}
    found = recorded(LONG, [2.0] * 40, matches)
    assert [at for at in found if at % 5] == ([22, 24, 26, 28] if dense else [])


def test_there_are_never_more_than_so_many_and_some_are_left_for_what_comes_late() -> None:
    chance = np.random.default_rng(0)
    wild = recorded(LONG, list(chance.uniform(0.5, 4.0, 1000)))
    more = [at for at in wild if at % 5]
    assert len(more) <= MORE
    assert len(wild) <= EVEN + MORE + 1
    falling = [2.0 + chance.uniform(-0.15, 0.15) for _ in range(500)] + list(np.geomspace(2, 0.01, 40)) + [0.01] * 460
    assert any(500 < at < 545 for at in recorded(LONG, falling) if at % 5)


def test_a_long_run_has_as_many_even_records_as_a_short_one() -> None:
    assert [recorded_every(TrainConfig(steps=steps)) for steps in (1, 250, 1000, 5000)] == [5, 5, 5, 25]


def weights(run: TrainingRun) -> torch.Tensor:
    with patch.object(run_module, "FINAL_SEQUENCES", 5):
        for _ in run.work():
            pass
    return torch.nn.utils.parameters_to_vector(run.model.parameters()).detach()


@pytest.mark.parametrize("config", [replace(SMALL, min_length=3, steps=20), WORDS])
def test_whatever_is_recorded_the_same_is_learned_to_the_bit(
    config: TrainConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = weights(TrainingRun(config))
    for always in (True, False):
        monkeypatch.setattr(Recording, "due", lambda *_, always=always: always)
        assert torch.equal(weights(TrainingRun(config)), usual)


@cache
def once() -> History:
    return History.of(list(train(SMALL)))


def test_a_run_that_is_taken_up_again_is_recorded_like_one_that_was_never_left_and_alike() -> None:
    run, reports = TrainingRun(SMALL), []
    while run.step < SMALL.steps:  # a new generator for some of them
        reports += list(islice(filter(None, run.work()), 3))
    history = History.of(reports)
    for name in ("probe_step", *RECORDED):
        np.testing.assert_array_equal(getattr(history, name), getattr(once(), name))
    assert [*history.probe_step[[0, -1]]] == [0, SMALL.steps]


def test_random_answers_are_measured_at_even_steps_alone() -> None:
    config = TrainConfig(task="random", vocab=50, d_model=8, h=2, batch=4, steps=23, rate=0.5)
    assert [one.step for one in train(config) if one.held_out is not None] == [0, 5, 10, 15, 20, 23]


@pytest.mark.parametrize("config", [SMALL, WORDS, OWN, *RIVALS])
def test_the_gradient_of_a_run_is_made_of_its_blocks(config: TrainConfig) -> None:
    run = TrainingRun(config)
    assert not run.look().block_norms.any(), "there is no gradient before the first update"
    for _ in range(3):
        found = run.update()
        norms = run.look().block_norms
        assert len(norms) == len(blocks_of(config))
        assert math.hypot(*norms.tolist()) == pytest.approx(found.gradient_norm, rel=1e-5)
        assert (norms > 0).all()


def test_blocks_stand_in_the_order_of_the_forward_pass() -> None:
    assert blocks_of(SMALL) == (
        "src_embed", "encoder.layers.0", "encoder.layers.1", "encoder.norm",
        "tgt_embed", "decoder.layers.0", "decoder.layers.1", "decoder.norm", "generator",
    )  # fmt: skip


def test_the_length_of_a_blocks_gradient_is_that_of_its_parameters(monkeypatch: pytest.MonkeyPatch) -> None:
    run, seen = TrainingRun(replace(SMALL, clip=0.05)), dict[str, float]()
    measure = run.blocks.measure

    def spy() -> torch.Tensor:
        seen["layer"] = float(run.vector.gradient_norm(f"encoder.layers.1.{name}" for name in layer))
        return measure()

    layer = dict(run.model.encoder.layers[1].named_parameters())
    monkeypatch.setattr(run.blocks, "measure", spy)
    run.update()
    norms = dict(zip(blocks_of(SMALL), run.look().block_norms, strict=True))
    assert norms["encoder.layers.1"] == pytest.approx(seen["layer"], rel=1e-5), "before it was cut"


@pytest.mark.parametrize("config", [SMALL, WORDS, OWN])
def test_the_embeddings_that_are_recorded_are_rows_of_the_sources_table(config: TrainConfig) -> None:
    run, tokens = TrainingRun(config), embedded_of(config)
    run.update()
    table = run.model.get_parameter("src_embed.0.lut.weight").detach()[tokens]
    np.testing.assert_array_equal(run.look().embedded, table.half().numpy())
    assert 0 not in tokens
    assert tokens == sorted(set(tokens))


def test_of_a_large_table_what_is_watched_and_no_more_than_there_is_room_for_is_recorded() -> None:
    large, wide = TrainConfig(vocab=1000), TrainConfig(vocab=100, d_model=512, h=8)
    assert len(embedded_of(large)) == TOKENS
    assert len(embedded_of(wide)) * 512 == NUMBERS
    for config in (large, wide):
        assert set(probe_of(config)) <= set(embedded_of(config))
    symbols = {WORDS.vocabularies[0].names.index(name) for name in ("⟨pad⟩", "⟨s⟩", "⟨/s⟩")}
    assert not symbols & set(embedded_of(WORDS))


@pytest.mark.parametrize(
    "config", [SMALL, WORDS, OWN, *RIVALS, TrainConfig(vocab=60, d_model=128, h=8, steps=20, batch=2)]
)
def test_what_is_recorded_takes_no_more_memory_than_the_run_is_said_to(
    config: TrainConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Recording, "_moved", lambda _: True)  # as many as there can be
    history = History.of(list(train(config)))
    of_the_model = NUMBER * (4 * config.parameters + len(config.pairs))
    assert sum(column.nbytes for column in history) <= resting(config) - of_the_model


def test_reports_without_a_probe_have_empty_records_of_the_right_kind() -> None:
    assert [getattr(EMPTY, name).shape for name in RECORDED] == [(0,) * axes for axes, _ in RECORDED.values()]
    for name, (axes, kind) in RECORDED.items():
        assert getattr(once(), name).ndim == axes
        assert getattr(once(), name).dtype == kind
    whole = EMPTY.then(once()).then(once())
    for name in History._fields:
        np.testing.assert_array_equal(getattr(whole, name), getattr(once(), name))
