"""A run in a link: its settings are written, read back, and never trusted."""

from dataclasses import fields
from typing import Any, get_args

import pytest
from hypothesis import assume, given
from hypothesis import settings as within
from hypothesis import strategies as some

from transformer_core.training.config import ConfigError, TrainConfig
from transformer_core.training.settings import SETTINGS
from ui.model.run_link import config_of, run_text
from ui.run_limits import COPIED, highest, trainable
from ui.settings.frame import Frame


def any_value(name: str, declared: Any) -> some.SearchStrategy[Any]:
    """Any value within the bounds of a setting of a run."""
    if SETTINGS[name].choices:
        return some.sampled_from(SETTINGS[name].choices)
    if declared is bool:
        return some.booleans()
    allowed = get_args(declared) or (declared,)
    low, high = SETTINGS[name].low, highest(name)
    assert low is not None
    assert high is not None
    numbers = some.floats(low, high) if float in allowed else some.integers(int(low), int(high))
    return numbers | some.none() if type(None) in allowed else numbers


@some.composite
def any_run(draw: some.DrawFn) -> TrainConfig:
    """Any run of the copy task that can be trained: some settings as by default, the others wherever they may be."""
    values: dict[str, Any] = {
        f.name: draw(some.just(f.default) | any_value(f.name, f.type)) for f in fields(TrainConfig) if f.name != "pairs"
    }
    values |= {"task": "copy", "vocab": min(values["vocab"], COPIED)}
    values["h"] = draw(some.sampled_from([h for h in range(1, 17) if values["d_model"] % h == 0]))
    try:
        return trainable(TrainConfig(**values))
    except ConfigError:
        assume(False)
        raise


@pytest.mark.parametrize(
    "config",
    [
        TrainConfig(),
        TrainConfig(seed=3, h=2, norm_first=False, min_length=4),
        TrainConfig(d_model=32, d_ff=48),
        TrainConfig(d_model=32, d_ff=256),
        TrainConfig.notes(),
        TrainConfig(positions=False, look_ahead=False, batches=9, noise=0.2),
    ],
)
def test_a_run_is_read_back_as_it_was_written(config: TrainConfig) -> None:
    assert config_of(run_text(config)) == config


@within(derandomize=True, database=None, deadline=None, max_examples=100)
@given(config=any_run())
def test_any_run_is_read_back_from_its_link(config: TrainConfig) -> None:
    assert config_of(run_text(config)) == config
    assert Frame.allows("run", run_text(config))


def test_a_link_says_the_width_of_the_feed_forward_layers_unless_it_is_the_usual_one() -> None:
    assert run_text(TrainConfig(d_model=32, d_ff=256)) == "d_model:32,d_ff:256,seed:0"
    assert run_text(TrainConfig(d_model=32)) == "d_model:32,d_ff:128,seed:0"
    assert config_of("d_model:32,seed:0") == TrainConfig(d_model=32)


def test_the_default_run_is_named_by_its_seed() -> None:
    assert run_text(TrainConfig()) == "seed:0"


@pytest.mark.parametrize(
    "text",
    [
        "d_model:0",
        "h:3",
        "h",
        "seed:x",
        "steps:99999999",
        "__class__:1",
        'task:"../x"',
        "seed:[1]",
        "a:1",
        'task:"random"',
    ],
)
def test_what_names_no_run_is_refused(text: str) -> None:
    with pytest.raises(ConfigError):
        config_of(text)
