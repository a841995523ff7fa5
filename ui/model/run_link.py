"""How a link names a training run, and reads that name."""

import json

from transformer_core.tasks import OwnPairs
from transformer_core.training.config import ConfigError, TrainConfig
from ui.run_limits import trainable
from ui.session import known_pairs
from ui.uploads import SHOWN


def run_text(config: TrainConfig) -> str:
    """How a link names a run: its seed and the settings that differ from the default's, `d_model:128,h:8,seed:0`.

    A width of the feed-forward layers that is not the usual one for d_model is always said: unsaid, it means that one.
    What follows from the task's words is not said, and of a reader's own pairs their digest alone.
    """
    default = TrainConfig().to_dict() | {"seed": None}
    if config.words is not None:
        default |= {name: getattr(config, name) for name in ("vocab", "length", "min_length")}
    if config.d_ff != 4 * config.d_model:
        default["d_ff"] = None
    said = config.to_dict()
    if isinstance(config.words, OwnPairs):
        said["pairs"] = config.words.digest
    return ",".join(f"{name}:{json.dumps(value)}" for name, value in said.items() if value != default[name])


def config_of(text: str) -> TrainConfig:
    """The run that `run_text` named. ConfigError, a ValueError, if it cannot be trained or names no run; for the reason
    "pairs_elsewhere" if no page of this browser has brought its pairs along.

    The vocabulary of the random answers is too long for the chapters' figures.
    """
    pairs = [pair.partition(":") for pair in text.split(",") if pair]
    try:
        changes = {name: json.loads(value) for name, _, value in pairs}
    except ValueError:
        raise ConfigError("unknown", f"not the settings of a run: {text:.80}") from None
    if changes.get("task") == "pairs" and "pairs" in changes:
        changes["pairs"] = with_digest(str(changes["pairs"]))
    config = trainable(TrainConfig.from_dict(TrainConfig().to_dict() | {"d_ff": 0} | changes))
    if config.task not in SHOWN:
        raise ConfigError("choice", f"not a run that can be shown: {text:.80}", name="task", choices=SHOWN)
    return config


def with_digest(digest: str) -> str:
    """A reader's own pairs. ConfigError if no page of this browser has brought them along."""
    if text := known_pairs(digest):
        return text
    raise ConfigError("pairs_elsewhere", f"the pairs {digest:.12} are not here")
