"""The program under a figure makes the very model that the figure was drawn from: on one machine to the last bit."""

from typing import Any

import pytest
import torch

from transformer_core.training.config import TrainConfig
from ui.chapters.shared.model_program import config_source, model_snippet
from ui.model.current_model import model_at_hand
from ui.model.run_link import run_text
from ui.settings.frame import Frame

RUNS = [
    (TrainConfig(N=2, d_model=32, h=2, steps=12, dropout=0.2, seed=5), 7),
    (TrainConfig(d_model=24, h=8, steps=9, norm_first=False, scale=False, min_length=4, clip=1.0, d_ff=40), 9),
]


def same_model(frame: Frame) -> bool:
    at_hand = model_at_hand(frame, seconds=300.0)
    assert at_hand.kind == frame.model
    names: dict[str, Any] = {}
    exec(model_snippet(at_hand), names)
    made, shown = names["model"].eval().state_dict(), at_hand.load().state_dict()
    return made.keys() == shown.keys() and all(torch.equal(made[name], shown[name]) for name in shown)


@pytest.mark.parametrize("frame", [Frame(), Frame(model="fresh", fresh=7), Frame(model="notes", fresh=2)])
def test_a_shipped_or_untrained_model_is_made_again(frame: Frame) -> None:
    assert same_model(frame)


@pytest.mark.parametrize(
    "config",
    [
        *(config for config, _ in RUNS),
        TrainConfig.notes(),
        TrainConfig(d_model=32, d_ff=256),  # the width that another d_model has by default
        TrainConfig.of_task("translate", "both", seed=4),
    ],
)
def test_a_run_is_written_as_it_is_set(config: TrainConfig) -> None:
    source = config_source(config)
    assert eval(source) == config
    assert config.words is None or "vocab" not in source  # which follows from them


@pytest.mark.long
@pytest.mark.parametrize(("config", "step"), RUNS)
def test_a_moment_of_a_readers_own_run_is_trained_again(config: TrainConfig, step: int) -> None:
    assert same_model(Frame(model="run", run=run_text(config), step=step))
