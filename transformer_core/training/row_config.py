"""The settings of a run of a model of one stack, which learns rows of words."""

from dataclasses import asdict, dataclass, fields
from functools import lru_cache, partial
from typing import Any

from transformer_core.after_2017.make import build
from transformer_core.after_2017.shape import Misfit, OneStackShape
from transformer_core.tasks.one_row import OneRow
from transformer_core.training.config import ConfigError
from transformer_core.training.memory import NUMBER
from transformer_core.training.models import shapes
from transformer_core.training.settings import MOST

COUNTED = ("N", "d_model", "d_ff", "h", "batch", "steps", "experts")
RECIPES: dict[str, dict[str, Any]] = {
    "decoder": {"steps": 1500},
    "encoder": {"positions": "learned", "steps": 2000},  # as BERT has them
}
FIRST_MOMENT = 100  # steps after which a run is looked back to
AT_ONCE = 64  # rows of an update, and of a part of an examination
POSITION_ROWS = 80  # of a learned table: more than the longest row, so that longer ones can be tried


@dataclass(frozen=True)
class RowConfig:
    """A run is a function of these, bit for bit on the same machine. ConfigError, a ValueError, if they make no sense.

    The defaults have the parts of 2017, and learn to translate between English and Chinese in both directions.
    """

    kind: str = "decoder"  # a GPT that continues rows; "encoder": a BERT that fills in covered words
    direction: str = "both"  # of `Translation`
    N: int = 2
    d_model: int = 64
    d_ff: int = 0  # 4 · d_model unless told
    h: int = 4
    norm_first: bool = True
    norm: str = ""
    positions: str = "sinusoids"
    feed_forward: str = "relu"
    tied: bool = False
    groups: int | None = None
    window: int | None = None
    experts: int | None = None
    top_k: int = 1
    balance: float = 0.01  # α of the experts' balance loss (Switch Transformers, equation 4), of every layer's
    batch: int = AT_ONCE
    rate: float = 5e-3
    warmup: int = 50
    steps: int = 1000
    schedule: str = "cosine"
    factor: float = 0.5
    embedding_std: float = 0.3
    seed: int = 0

    def __post_init__(self) -> None:
        for name in _WHOLE:
            value = getattr(self, name)
            if type(value) is not int and not (value is None and name in ("groups", "window", "experts")):
                raise ConfigError("type", f"{name} must be a whole number, not {value!r:.40}", name=name)
        if self.d_ff == 0:
            object.__setattr__(self, "d_ff", 4 * self.d_model)
        for name in COUNTED:
            if (value := getattr(self, name)) is not None and not 1 <= value <= MOST:
                message = f"{name} must lie between 1 and {MOST}, not {value}"
                raise ConfigError("range", message, name=name, low=1, high=MOST, value=value)
        spread = 0 < self.embedding_std <= 100 and 0 <= self.balance <= 1
        if not (0 <= self.warmup < self.steps and 0 < self.rate <= 1 and spread):
            message = "the warm-up is shorter than the run, rate and spread are above 0, and balance is at most 1"
            raise ConfigError("range", message)
        try:
            _ = self.shape, self.task
        except Misfit as problem:
            raise ConfigError(problem.reason, str(problem), **problem.values) from problem
        except ValueError as problem:
            raise ConfigError("shape", str(problem)) from problem

    @property
    def task(self) -> OneRow:
        return OneRow(self.direction)

    @property
    def shape(self) -> OneStackShape:
        """The model that is trained, without dropout."""
        return OneStackShape(
            self.kind,
            len(self.task.vocabulary),
            self.N,
            self.d_model,
            self.d_ff,
            self.h,
            dropout=0.0,
            norm_first=self.norm_first,
            norm=self.norm,
            positions=self.positions,
            feed_forward=self.feed_forward,
            tied=self.tied,
            groups=self.groups,
            window=self.window,
            experts=self.experts,
            top_k=self.top_k,
            max_len=POSITION_ROWS if self.positions == "learned" else OneStackShape.max_len,
        )

    @property
    def length(self) -> int:
        """Tokens of the longest row."""
        return self.task.longest

    @property
    def parameters(self) -> int:
        """How many numbers the model learns."""
        return _parameters(self.shape)

    @property
    def memory(self) -> int:
        """Bytes of a run at work, roughly and rather too many, as in `memory` of a model of two stacks."""
        return self.resting + self.working

    @property
    def resting(self) -> int:
        """Weights, AdamW's two moments and a copy for the pages; a row of four numbers for each step."""
        return NUMBER * 4 * (self.parameters + self.steps)

    @property
    def working(self) -> int:
        """The gradient, the position code, and what an update or an examination keeps of its rows."""
        tokens, hidden = max(AT_ONCE, self.batch) * self.length, self.d_ff * self.top_k
        a_layer = tokens * (2 * self.length * self.h + 8 * self.d_model + 3 * hidden)
        code = self.shape.max_len * self.d_model
        return NUMBER * (self.parameters + code + self.N * a_layer + 4 * tokens * len(self.task.vocabulary))

    @property
    def moments(self) -> list[int]:
        """The steps whose models are kept for the pages: before it began, twice as late each time, and its end."""
        later = [FIRST_MOMENT << at for at in range(self.steps.bit_length())]
        return [0, *(step for step in later if step < self.steps), self.steps]

    @classmethod
    def of_kind(cls, kind: str, **changes: Any) -> "RowConfig":
        """The recipe that a kind of model learns the rows with, but for `changes`."""
        return cls(**{"kind": kind, **RECIPES.get(kind, {}), **changes})

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_dict(cls, values: object) -> "RowConfig":
        """The settings `to_dict` gave. ConfigError if something is unknown, of another type or out of bounds."""
        if not isinstance(values, dict) or not values.keys() <= {field.name for field in fields(cls)}:
            raise ConfigError("unknown", "these are not the settings of a run of rows")
        for name, value in values.items():
            if not isinstance(value, str | int | float | None):
                raise ConfigError("type", f"{name} must be a word or a number", name=name)
        try:
            return cls(**values)
        except TypeError as problem:
            raise ConfigError("type", "a setting has a value of another type") from problem


@lru_cache(maxsize=256)
def _parameters(shape: OneStackShape) -> int:
    return sum(parameter.numel() for parameter in shapes(partial(build, shape)).values())


_WHOLE = ("N", "d_model", "d_ff", "h", "batch", "warmup", "steps", "seed", "groups", "window", "experts", "top_k")
