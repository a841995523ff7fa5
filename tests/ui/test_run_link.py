"""A run in a link: its settings are written, read back, and never trusted."""

import pytest

from transformer_core.train_config import ConfigError, TrainConfig
from ui.session import config_of, run_text


@pytest.mark.parametrize(
    "config",
    [
        TrainConfig(),
        TrainConfig(seed=3, h=2, norm_first=False, min_length=4),
        TrainConfig(d_model=32, d_ff=48),
        TrainConfig.notes(),
    ],
)
def test_a_run_is_read_back_as_it_was_written(config: TrainConfig) -> None:
    assert config_of(run_text(config)) == config


def test_the_default_run_is_named_by_its_seed() -> None:
    assert run_text(TrainConfig()) == "seed:0"


@pytest.mark.parametrize(
    "text", ["d_model:0", "h:3", "h", "seed:x", "steps:99999999", "__class__:1", 'task:"../x"', "seed:[1]", "a:1"]
)
def test_what_names_no_run_is_refused(text: str) -> None:
    with pytest.raises(ConfigError):
        config_of(text)
