"""Which settings of a run can be trained: what each may be, and what a run may cost."""

import math
import types
from dataclasses import asdict, dataclass, fields
from typing import Any, get_args

from transformer_core.tasks.translation import DIRECTIONS
from transformer_core.training.memory import resting, working
from transformer_core.training.recipes import NOTES_RATES, NotesRate, recipe
from transformer_core.training.settings import RunSettings

CHOICES: dict[str, tuple[str, ...]] = {
    "task": ("copy", "random", "reverse", "sort", "translate"),
    "direction": tuple(DIRECTIONS),
    "schedule": ("cosine", "noam", "constant"),
    "architecture": ("transformer", "recurrent", "convolution"),
}

# Lowest and highest value of every number that can be set. The app states them beside the controls.
BOUNDS: dict[str, tuple[float, float]] = {
    "vocab": (3, 10_000),
    "length": (2, 64),
    "min_length": (2, 64),
    "N": (1, 6),
    "d_model": (2, 512),
    "h": (1, 16),
    "d_ff": (1, 2048),
    "dropout": (0.0, 0.9),
    "batch": (1, 256),
    "rate": (1e-6, 1.0),
    "warmup": (0, 5000),
    "factor": (1e-3, 100.0),
    "steps": (1, 5000),
    "smoothing": (0.0, 0.9),
    "clip": (1e-3, 1000.0),
    "embedding_std": (1e-3, 100.0),
    "seed": (0, 2**31 - 1),
}
COPIED = 1000  # the largest vocabulary of the copy task: every chapter may have to draw such a model
MAX_WORK = 1e10  # parameters × tokens of one step: about a second of one core
MAX_BYTES = 2**30  # memory of one run


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
        for field in fields(self):
            _check_type(field.name, getattr(self, field.name), field.type)
        if self.d_ff == 0:
            object.__setattr__(self, "d_ff", 4 * self.d_model)
        for name, choices in CHOICES.items():
            if getattr(self, name) not in choices:
                message = f"{name} must be one of {', '.join(choices)}, not {getattr(self, name):.40}"
                raise ConfigError("choice", message, name=name, choices=choices)
        if self.words is not None:
            object.__setattr__(self, "vocab", len(self.words.source))
            object.__setattr__(self, "length", max(self.words.longest))
            object.__setattr__(self, "min_length", None)
        for name, (low, high) in BOUNDS.items():
            value = getattr(self, name)
            if value is not None and not low <= value <= high:
                message = f"{name} must lie between {low} and {high}, not {value!r:.40}"
                raise ConfigError("range", message, name=name, low=low, high=high, value=value)
        if self.task == "copy" and self.vocab > COPIED:
            message = f"vocab must lie between 3 and {COPIED} in the copy task, not {self.vocab}"
            raise ConfigError("range", message, name="vocab", low=3, high=COPIED, value=self.vocab)
        if self.d_model % 2:
            message = f"d_model must be even, for sines and cosines come in pairs; got {self.d_model}"
            raise ConfigError("odd", message, d_model=self.d_model)
        if self.d_model % self.h:
            message = f"d_model = {self.d_model} cannot be cut into {self.h} heads of equal size"
            raise ConfigError("heads", message, d_model=self.d_model, h=self.h)
        if self.min_length is not None and self.min_length > self.length:
            message = f"the shortest length, {self.min_length}, is above the longest, {self.length}"
            raise ConfigError("lengths", message, shortest=self.min_length, longest=self.length)
        if self.parameters * self.batch * self.length > MAX_WORK:
            message = (
                f"one step would move {self.batch * self.length} tokens through {self.parameters} parameters, "
                f"more than a second of work; take a smaller model, batch or length"
            )
            raise ConfigError("work", message, tokens=self.batch * self.length, parameters=self.parameters)
        if self.memory > MAX_BYTES:
            message = f"the run would need about {self.memory / 2**20:.0f} MB, more than {MAX_BYTES / 2**20:.0f} MB"
            raise ConfigError("memory", message, need=round(self.memory / 2**20), limit=MAX_BYTES // 2**20)

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
        return cls(**{"task": task, "direction": direction, **recipe(task, direction), **changes})

    @property
    def memory(self) -> int:
        """Bytes of a run at work, roughly and rather too many."""
        return resting(self) + working(self)

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_dict(cls, values: object) -> "TrainConfig":
        """The settings `to_dict` gave. ConfigError if something is unknown, of another type or out of bounds."""
        known = {field.name for field in fields(cls)}
        if not isinstance(values, dict) or not set(values) <= known:
            unknown = sorted(set(map(str, values)) - known) if isinstance(values, dict) else [type(values).__name__]
            raise ConfigError("unknown", f"not a setting of a training run: {', '.join(unknown)}", names=unknown)
        return cls(**values)


def _check_type(name: str, value: object, declared: Any) -> None:
    """bool is no number here, an int will do for a float, and neither may be infinite."""
    allowed = get_args(declared) if isinstance(declared, types.UnionType) else (declared,)
    if float in allowed:
        allowed += (int,)
    if type(value) not in allowed or (isinstance(value, float) and not math.isfinite(value)):
        wanted = " or ".join("None" if kind is type(None) else kind.__name__ for kind in allowed)
        raise ConfigError("type", f"{name} must be {wanted} and finite, not {value!r:.40}", name=name)
