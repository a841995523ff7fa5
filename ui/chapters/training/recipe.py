"""What a reader sets of a run: its recipe, from which a run is made, and how the run is looked at."""

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Any, Self

from transformer_core.tasks import OwnPairs
from transformer_core.training.config import TrainConfig
from transformer_core.training.settings import SETTINGS
from ui.model.run_link import with_digest
from ui.run_limits import COPIED, highest, trainable
from ui.settings.fields import CellSetting, Settings, by_click, cell, choice, flag, real, text, whole

END = 5000  # beyond the last step: what is looked at is the latest
SHORTEST = 3  # tokens of the shortest sequence when lengths vary
COLUMNS = 99  # of a file of pairs
AUTO = "auto"  # the task of the model at hand
TASKS = ("copy", "reverse", "sort", "translate", "pairs")
PAIRS = "pairs"  # the reader's own
USUAL = TrainConfig()


def of_run(name: str, most: int | None = None) -> Any:
    """A setting that a run has itself, as the table of those has it."""
    said = SETTINGS[name]
    if said.kinds == (bool,):
        return flag(said.default)
    if said.choices:
        return choice(said.default, *said.choices)
    high = highest(name)
    assert said.low is not None
    assert high is not None
    if said.kinds == (int,):
        return whole(said.default, int(said.low), most or int(high))
    return real(said.default, said.low, high)


class Recipe(Settings):
    task: str = choice(AUTO, AUTO, *TASKS)
    direction: str = of_run("direction")
    own_pairs: str = by_click(text("", 12))  # the digest of the pairs to learn; they themselves are in no link
    split: str = choice(AUTO, AUTO, "words", "letters")  # by what their lines are cut
    source_column: int = whole(0, 0, COLUMNS)  # of their file, from 1; 0 is the one found
    target_column: int = whole(0, 0, COLUMNS)
    header: str = choice(AUTO, AUTO, "names", "pair")  # what its first line is
    sample: int = whole(0, 0, 9999)  # the seed by which lines are drawn from too many
    N: int = of_run("N")
    h: int = of_run("h")
    d_model: int = of_run("d_model")
    batch: int = of_run("batch")
    rate: float = of_run("rate")
    steps: int = of_run("steps")
    seed: int = of_run("seed", 9999)
    vocab: int = of_run("vocab", COPIED)
    length: int = of_run("length")
    padded: bool = flag(False)  # lengths from 3 up
    schedule: str = of_run("schedule")
    warmup: int = of_run("warmup")
    factor: float = of_run("factor")
    dropout: float = of_run("dropout")
    smoothing: float = of_run("smoothing")
    clip: float = real(0.0, 0.0, SETTINGS["clip"].high or 0.0)  # 0 = the gradient is not cut
    eval_updates: bool = of_run("eval_updates")
    embedding: str = choice("small", "small", "xavier")
    form: str = choice("pre", "pre", "post")
    scale: bool = of_run("scale")
    positions: bool = of_run("positions")
    learned_positions: bool = of_run("learned_positions")
    tied: bool = of_run("tied")
    look_ahead: bool = of_run("look_ahead")
    batches: int = of_run("batches")  # 0 = each is a new one
    noise: float = of_run("noise")

    @classmethod
    def unsaid(cls, said: Mapping[str, Any]) -> Self:
        default = cls.default()
        task, direction = said.get("task", AUTO), said.get("direction", default.direction)
        return default if task == AUTO else replace(default, **_unsaid(task, direction))


class ShownRunSettings(Recipe):
    at: int = whole(END, 0, END)  # the step that is looked at
    replay: bool = by_click(flag(False))  # as a time-lapse, from its beginning where no step is said
    going: bool = by_click(flag(False))  # it was under way: where it has gone, the page says so
    cell: CellSetting = cell()


def config_of(recipe: Recipe) -> TrainConfig:
    """The run that the settings describe. ConfigError if it cannot be trained here."""
    task = "copy" if recipe.task == AUTO else recipe.task
    same = {name: getattr(recipe, name) for name in _same()}
    run = TrainConfig.of_task(
        task,
        recipe.direction if task == "translate" else USUAL.direction,
        **same | {
            "min_length": SHORTEST if recipe.padded else None,
            "clip": recipe.clip or None,
            "embedding_std": None if recipe.embedding == "xavier" else USUAL.embedding_std,
            "norm_first": recipe.form == "pre",
            "pairs": with_digest(recipe.own_pairs) if task == PAIRS and recipe.own_pairs else "",
        },
    )  # fmt: skip
    return trainable(run)


def settings_of(config: TrainConfig) -> dict[str, Any]:
    """The settings that describe a run: the way back. What follows from its words is not set."""
    said = USUAL if config.words is not None else config
    return {name: getattr(config, name) for name in ("task", "direction", *_same())} | {
        "vocab": said.vocab,
        "length": said.length,
        "padded": config.min_length is not None,
        "clip": config.clip or 0.0,
        "embedding": "xavier" if config.embedding_std is None else "small",
        "form": "pre" if config.norm_first else "post",
        "own_pairs": config.words.digest if isinstance(config.words, OwnPairs) else "",
    }


@cache
def _same() -> list[str]:
    """The settings that go by the same name in a run and mean the same there, the task with its direction apart."""
    return [name for name in Recipe.kinds() if hasattr(USUAL, name) and name not in ("task", "direction", "clip")]


@cache
def _unsaid(task: str, direction: str) -> dict[str, Any]:
    """What the recipe of a task has set, without saying which task's it is; of pairs, which are not known here, that of
    the translation."""
    found = settings_of(TrainConfig.of_task("translate" if task == PAIRS else task, direction))
    return {name: value for name, value in found.items() if name not in ("task", "direction")}
