"""From the chapter's settings to a run, and from a run to what the chapter shows."""

from dataclasses import fields
from functools import lru_cache

import numpy as np

from transformer_core.training.config import MAX_WORK, TrainConfig
from transformer_core.training.history import History
from transformer_core.training.run import learning_rate
from ui.chapters.training.settings import Training

SHORTEST = 3  # tokens of the shortest sequence when lengths vary
LONG_RUN = 5  # seconds of one core, roughly
MOST_POINTS = 500  # of a curve: more cannot be told apart


def config_of(settings: Training) -> TrainConfig:
    """The run that the settings describe. ConfigError if it cannot be trained."""
    same = {field.name: getattr(settings, field.name) for field in fields(TrainConfig) if hasattr(settings, field.name)}
    return TrainConfig(
        **same | {
            "min_length": SHORTEST if settings.padded else None,
            "clip": settings.clip or None,
            "embedding_std": None if settings.embedding == "xavier" else 0.3,
            "norm_first": settings.form == "pre",
        }
    )  # fmt: skip


def settings_of(config: TrainConfig) -> dict[str, object]:
    """The settings that describe a run: the way back."""
    same = {name: value for name, value in config.to_dict().items() if name in Training.kinds()}
    return same | {
        "padded": config.min_length is not None,
        "clip": config.clip or 0.0,
        "embedding": "xavier" if config.embedding_std is None else "small",
        "form": "pre" if config.norm_first else "post",
    }


def pace(config: TrainConfig) -> float:
    """Seconds from one look at a run under way to the next.

    Every look costs the browser some 70 ms, also for the reader's other tabs: a run of many seconds is looked at less.
    """
    work = config.parameters * config.batch * config.length * config.steps
    return 0.5 if work < LONG_RUN * MAX_WORK else 1.0


@lru_cache(maxsize=64)
def plan(config: TrainConfig) -> tuple[np.ndarray, np.ndarray]:
    """Steps and the learning rate that the schedule has for them."""
    steps = np.unique(np.linspace(1, config.steps, 200).astype(int))
    return steps, np.array([learning_rate(config, int(step)) for step in steps])


def latest(steps: np.ndarray, at: int) -> int:
    """Index of the last of these steps, in rising order, that is not after step `at`."""
    return int(np.searchsorted(steps, at, side="right")) - 1


def measured_match(history: History, at: int) -> float | None:
    """The last exact match measured by step `at`; None if there is none."""
    measured = history.exact_match[: latest(history.step, at) + 1]
    found = measured[np.isfinite(measured)]
    return float(found[-1]) if len(found) else None


def best_copier(maps: np.ndarray) -> tuple[int, int, float]:
    """Of the cross-attention (N, h, T, L) of the probe: the layer and head that look most at the token to predict.

    And the share of its attention, on average over the rows, that this head gives it: row t predicts token t + 1.
    """
    shares = np.diagonal(maps.astype(np.float64), offset=1, axis1=-2, axis2=-1).mean(-1)  # (N, h)
    layer, head = np.unravel_index(shares.argmax(), shares.shape)
    return int(layer), int(head), float(shares.max())


def thinned(history: History) -> np.ndarray:
    """Indices of the reports to draw: all, or evenly fewer, always with the last."""
    count = len(history.step)
    return np.unique(np.linspace(0, count - 1, min(count, MOST_POINTS)).astype(int))
