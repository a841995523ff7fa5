"""The run of the lecture notes: which of its updates they print, and which runs are it."""

from dataclasses import replace

import pytest

from transformer_core import notes
from transformer_core.training.config import TrainConfig
from transformer_core.training.notes_run import (
    LOSSES,
    QUICK_BELOW,
    SPEEDS,
    is_notes_run,
    printed_steps,
)
from transformer_core.training.recipes import NOTES_RATES
from transformer_core.training.run import TrainingRun

NOTES = TrainConfig.notes(eval_updates=True)


def test_the_notes_print_the_second_batch_of_each_epoch_and_of_each_evaluation():
    step, printed = 0, []
    for _ in range(10):
        for batches in (20, 5):  # the loop of the notes, its counter and its condition
            for i in range(batches):
                step += 1
                if i % 50 == 1:
                    printed.append(step)
    assert step == NOTES.steps
    assert printed_steps() == printed
    assert printed[:3] == [2, 22, 27]
    assert len(printed) == len(LOSSES) == len(SPEEDS) == 20


def test_the_lines_begin_and_end_as_the_notes_print_them():
    assert (LOSSES[0], LOSSES[1], LOSSES[15], LOSSES[18], LOSSES[19]) == (
        3.315704,
        2.602743,
        0.828656,
        0.952969,
        0.373509,
    )
    assert (min(SPEEDS), max(SPEEDS)) == (309.740843, 422.632783)


@pytest.mark.parametrize("rate", NOTES_RATES)
def test_the_notes_run_is_itself_at_any_rate_and_with_any_seed(rate):
    config = TrainConfig.notes(eval_updates=True, rate=rate)
    assert (config.factor, config.warmup) == NOTES_RATES[rate]
    assert is_notes_run(replace(config, seed=7))


@pytest.mark.parametrize(
    "other", [{"eval_updates": False}, {"steps": 200}, {"batch": 9}, {"d_model": 256}, {"dropout": 0.2}, {"vocab": 12}]
)
def test_no_other_run_is_the_notes(other):
    assert not is_notes_run(replace(NOTES, **other))
    assert not is_notes_run(TrainConfig())
    assert is_notes_run(TrainConfig.notes(), eval_updates=False)
    assert not is_notes_run(NOTES, eval_updates=False)


def test_the_packages_rate_is_that_of_its_optimiser():
    model = notes.make_model(source_vocab=11, target_vocab=11, N=1, d_model=8, d_ff=12, head=2)
    optimiser = notes.get_std_opt(model)
    assert (optimiser.factor, optimiser.warmup) == NOTES_RATES["package"]


@pytest.mark.long
def test_at_the_quickest_rate_our_run_begins_below_the_notes():
    """At the package's it stays above: how such runs go on, over six seeds, is in `benchmarks.notes_copy`."""
    run, steps = TrainingRun(TrainConfig.notes(eval_updates=True, rate="quick")), printed_steps()
    assert [run.update() for _ in range(steps[1])][-1].loss < QUICK_BELOW < LOSSES[1]
