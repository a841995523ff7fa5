"""Which settings of a run can be trained: that they fit each other."""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from transformer_core.tasks import NotPairs
from transformer_core.training.memory import resting, working
from transformer_core.training.recipes import NOTES_RATES, NotesRate, recipe
from transformer_core.training.settings import SETTINGS, RunSettings, Setting


class ConfigError(ValueError):
    """Settings that cannot be trained. `reason` and `values` let the app say the same in another language."""

    def __init__(self, reason: str, message: str, **values: object) -> None:
        super().__init__(message)
        self.reason = reason
        self.values = values


@dataclass(frozen=True)
class TrainConfig(RunSettings):
    """A run is a function of these: the same settings give the same weights, bit for bit, on the same machine.

    The defaults learn the copy task in about a second of one core. ConfigError, a ValueError, if they make no sense.
    """

    def __post_init__(self) -> None:
        for name, setting in SETTINGS.items():
            _check_type(name, getattr(self, name), setting)
        if self.d_ff == 0:
            object.__setattr__(self, "d_ff", 4 * self.d_model)
        for name, setting in SETTINGS.items():
            if setting.choices and getattr(self, name) not in setting.choices:
                message = f"{name} must be one of {', '.join(setting.choices)}, not {getattr(self, name):.40}"
                raise ConfigError("choice", message, name=name, choices=setting.choices)
        self._check_pairs()
        if self.words is not None:
            object.__setattr__(self, "vocab", len(self.words.source))
            object.__setattr__(self, "length", max(self.words.longest))
            object.__setattr__(self, "min_length", None)
        check_bounds({name: getattr(self, name) for name in SETTINGS})
        check_heads(self.d_model, self.h)
        if self.learned_positions and not self.positions:
            raise ConfigError("no_positions", "positions cannot be learned and left out at once")
        if self.tied and self.words is not None and self.words.source.names != self.words.target.names:
            raise ConfigError("tied", "source and target have different tokens, so their rows cannot be the same ones")
        if self.min_length is not None and self.min_length > self.length:
            message = f"the shortest length, {self.min_length}, is above the longest, {self.length}"
            raise ConfigError("lengths", message, shortest=self.min_length, longest=self.length)

    @classmethod
    def notes(cls, eval_updates: bool = False, rate: NotesRate = "package") -> "TrainConfig":
        """The lecture notes' run: 10 epochs of 20 batches of 8 through a model of the paper's width.

        Each epoch is followed by 5 batches for evaluation, with dropout off; but the notes hand them the optimiser as
        well, so that they are learned from: `eval_updates` is their run as it was run, 250 updates. `rate` names Noam's
        factor and warm-up, of which the notes' own text says nothing (`NOTES_RATES`).
        """
        factor, warmup = NOTES_RATES[rate]
        return cls(
            N=2,
            d_model=512,
            h=8,
            d_ff=2048,
            dropout=0.1,
            batch=8,
            schedule="noam",
            factor=factor,
            warmup=warmup,
            steps=250 if eval_updates else 200,
            embedding_std=None,
            eval_updates=eval_updates,
        )

    @classmethod
    def random(cls, seed: int = 0) -> "TrainConfig":
        """A small run of the notes' other loop: a vocabulary of 10,000, Adam at 1e-4, the gradient cut at 1."""
        return cls.of_task("random", seed=seed)

    @classmethod
    def of_task(cls, task: str, direction: str = "en-zh", **changes: Any) -> "TrainConfig":
        """The recipe that a task is learned with, but for `changes`."""
        of = recipe(task, direction, changes.get("pairs", ""))
        return cls(**{"task": task, "direction": direction, **of, **changes})

    def _check_pairs(self) -> None:
        """Only the task that learns them has pairs."""
        if self.task != "pairs":
            object.__setattr__(self, "pairs", "")
            return
        if not self.pairs:
            raise ConfigError("pairs_empty", "there are no pairs to learn")
        try:
            _ = self.words
        except NotPairs as problem:
            raise ConfigError(f"pairs_{problem.reason}", str(problem), **problem.values) from None

    @property
    def memory(self) -> int:
        """Bytes of a run at work, roughly and rather too many."""
        return self.resting + self.working

    @property
    def resting(self) -> int:
        return resting(self)

    @property
    def working(self) -> int:
        return working(self)

    @property
    def moments(self) -> tuple[int, ...]:
        """The steps whose models are kept for the pages, beside the one at which the run rests: none."""
        return ()

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_dict(cls, values: object) -> "TrainConfig":
        """The settings `to_dict` gave. ConfigError if something is unknown, of another type or out of bounds."""
        given = set(map(str, values)) if isinstance(values, dict) else {type(values).__name__}
        if not isinstance(values, dict) or not given <= SETTINGS.keys():
            unknown = sorted(given - SETTINGS.keys())
            raise ConfigError("unknown", f"not a setting of a training run: {', '.join(unknown)}", names=unknown)
        return cls(**values)


def check_bounds(values: Mapping[str, Any]) -> None:
    """ConfigError if a number of these settings lies below its lowest value, or above its highest."""
    for name, value in values.items():
        low, high = SETTINGS[name].low, SETTINGS[name].high
        if low is not None and high is not None and value is not None and not low <= value <= high:
            message = f"{name} must lie between {low} and {high}, not {value!r:.40}"
            raise ConfigError("range", message, name=name, low=low, high=high, value=value)


def check_heads(d_model: int, h: int) -> None:
    """ConfigError if the position code or the heads do not fit the size of the vectors."""
    if d_model % 2:
        message = f"d_model must be even, for sines and cosines come in pairs; got {d_model}"
        raise ConfigError("odd", message, d_model=d_model)
    if d_model % h:
        message = f"d_model = {d_model} cannot be cut into {h} heads of equal size"
        raise ConfigError("heads", message, d_model=d_model, h=h)


def _check_type(name: str, value: object, setting: Setting) -> None:
    """bool is no number here, an int will do for a float, and neither may be infinite."""
    allowed = (*setting.kinds, int) if float in setting.kinds else setting.kinds
    if type(value) not in allowed or (isinstance(value, float) and not math.isfinite(value)):
        wanted = " or ".join("None" if kind is type(None) else kind.__name__ for kind in allowed)
        raise ConfigError("type", f"{name} must be {wanted} and finite, not {value!r:.40}", name=name)
