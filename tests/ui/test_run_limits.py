"""What the pages train: the library's runs, but for those that are too large for a page."""

from typing import Any

import pytest

from transformer_core.training.config import ConfigError, TrainConfig
from transformer_core.training.settings import SETTINGS
from ui.run_limits import HIGHEST, MAX_BYTES, check_drawn, trainable


@pytest.mark.parametrize(
    ("settings", "reason", "words"),
    [
        ({"d_model": 512, "h": 8, "N": 6, "batch": 256}, "work", "44157451 parameters"),
        ({"length": 64, "batch": 256, "d_model": 32, "h": 16, "N": 3}, "memory", "MB, more than 1024 MB"),
        ({"vocab": 1001}, "range", "1000 in the copy task"),
        (
            {"task": "pairs", "pairs": "\n".join(f"w{n}\tx{n % 9}" for n in range(201))},
            "pairs_many_source",
            "at most 200",
        ),
    ],
)
def test_what_would_take_too_long_or_too_much_is_refused_in_words(
    settings: dict[str, Any], reason: str, words: str
) -> None:
    config = TrainConfig(**settings)
    with pytest.raises(ConfigError, match=words) as refusal:
        check_drawn(config)
    assert refusal.value.reason == reason


@pytest.mark.parametrize("name", HIGHEST)
def test_every_size_is_held_within_a_page(name: str) -> None:
    """The library has no such bound."""
    high = HIGHEST[name] + 1
    settings = {"d_model": 514, "h": 2} if name == "d_model" else {"d_model": 34, "h": 17} if name == "h" else {}
    whole: dict[str, Any] = {name: high, **({"length": high} if name == "min_length" else {}), **settings}
    config = TrainConfig(**whole)
    with pytest.raises(ConfigError) as refusal:
        trainable(config)
    assert refusal.value.reason == "range"
    assert refusal.value.values["low"] == SETTINGS[str(refusal.value.values["name"])].low


def test_what_is_let_pass_stays_within_the_memory_of_a_run() -> None:
    largest = trainable(TrainConfig(d_model=512, h=8, N=6, batch=20))
    assert trainable(TrainConfig.notes()).memory < largest.memory < MAX_BYTES
