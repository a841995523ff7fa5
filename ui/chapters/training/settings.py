"""Settings of the chapter `training`: those of the next run, and the step that is looked at."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import cache
from typing import Any, Self

from transformer_core.tasks.translation import DIRECTIONS
from transformer_core.training.config import TrainConfig
from ui.settings.compared import Compared, subject
from ui.settings.fields import Folding, cell, choice, flag, real, reply, whole

END = 5000  # beyond the last step: what is looked at is the latest
SHORTEST = 3  # tokens of the shortest sequence when lengths vary
AUTO = "auto"  # the task of the model at hand
TASKS = ("copy", "reverse", "sort", "translate")


@dataclass(frozen=True)
class Training(Compared, Folding):
    delta: str = subject("decoder.layers.0.src_attn.weights")
    task: str = choice(AUTO, AUTO, *TASKS)
    direction: str = choice("en-zh", *DIRECTIONS)  # of the translation
    N: int = whole(1, 1, 6)
    h: int = whole(4, 1, 16)
    d_model: int = whole(64, 2, 512)
    batch: int = whole(24, 1, 256)
    rate: float = real(1.5e-3, 1e-6, 1.0)
    steps: int = whole(180, 1, 5000)
    seed: int = whole(0, 0, 9999)
    vocab: int = whole(11, 3, 1000)
    length: int = whole(10, 2, 64)
    padded: bool = flag(False)  # lengths from 3 up
    schedule: str = choice("cosine", "cosine", "noam", "constant")
    warmup: int = whole(30, 0, 5000)
    factor: float = real(0.5, 1e-3, 100.0)
    dropout: float = real(0.0, 0.0, 0.9)
    smoothing: float = real(0.0, 0.0, 0.9)
    clip: float = real(0.0, 0.0, 1000.0)  # 0 = the gradient is not cut
    eval_updates: bool = flag(False)  # the notes' eval epochs, which learn as well
    embedding: str = choice("small", "small", "xavier")
    form: str = choice("pre", "pre", "post")
    scale: bool = flag(True)
    at: int = whole(END, 0, END)
    own_h: int = whole(0, 0, 16)  # heads of the model in the reader's file, which does not tell; 0 = as it was taken
    own_form: str = choice(AUTO, AUTO, "pre", "post")  # and its form
    going: bool = flag(False)  # a run was under way: where it has gone, the page says so
    cell: tuple[str, int, int] | None = cell()
    ask_untrained: str | None = reply()

    @classmethod
    def unsaid(cls, said: Mapping[str, Any]) -> Self:
        """What the recipe of the task has."""
        default = cls.default()
        task, direction = said.get("task", AUTO), said.get("direction", default.direction)
        return default if task == AUTO else replace(default, **_recipe(task, direction))


def config_of(settings: Training) -> TrainConfig:
    """The run that the settings describe. ConfigError if it cannot be trained."""
    task = "copy" if settings.task == AUTO else settings.task
    named = {field.name for field in fields(TrainConfig)} - {"task", "direction"}
    same = {name: getattr(settings, name) for name in named if hasattr(settings, name)}
    return TrainConfig.of_task(
        task,
        settings.direction if task == "translate" else Training.default().direction,
        **same | {
            "min_length": SHORTEST if settings.padded else None,
            "clip": settings.clip or None,
            "embedding_std": None if settings.embedding == "xavier" else 0.3,
            "norm_first": settings.form == "pre",
        },
    )  # fmt: skip


def settings_of(config: TrainConfig) -> dict[str, Any]:
    """The settings that describe a run: the way back. What follows from its words is not set."""
    default = Training.default()
    same = {name: value for name, value in config.to_dict().items() if name in Training.kinds()}
    if config.words is not None:
        same |= {"vocab": default.vocab, "length": default.length}
    return same | {
        "padded": config.min_length is not None,
        "clip": config.clip or 0.0,
        "embedding": "xavier" if config.embedding_std is None else "small",
        "form": "pre" if config.norm_first else "post",
    }


@cache
def _recipe(task: str, direction: str) -> dict[str, Any]:
    """What the recipe of a task has set, without saying which task's it is."""
    found = settings_of(TrainConfig.of_task(task, direction))
    return {name: value for name, value in found.items() if name not in ("task", "direction")}
