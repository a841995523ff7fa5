"""What a run is called beside others, and the curves of earlier runs behind its own."""

import numpy as np

from transformer_core.training.config import TrainConfig
from ui.chapters.training.figures.run import Curve, Ghost
from ui.figures import number
from ui.sections import AnyChapter
from ui.session import session
from ui.text import Words

UNSAID = (
    "task",
    "direction",
    "vocab",
    "length",
    "d_ff",
    "architecture",
    "pairs",
)  # by the name of the task, or not at all


def name_of(say: Words, config: TrainConfig) -> str:
    """`Copy · no ÷√d_k · seed 3`; the recipe itself is called so."""
    return f"{task_of(say, config)} · {differing(say, config)}"


def task_of(say: Words, config: TrainConfig) -> str:
    if config.task == "translate":
        return say(f"direction_option.{config.direction}")
    return say(f"task_option.{config.task}")


def differing(say: Words, config: TrainConfig) -> str:
    """What a run has otherwise than its recipe, the seed last; `the recipe` where that is nothing."""
    recipe = TrainConfig.of_task(config.task, config.direction, pairs=config.pairs)
    apart = [name for name, value in recipe.to_dict().items() if getattr(config, name) != value]
    said = [_said(say, name, getattr(config, name)) for name in apart if name not in UNSAID]
    if not config.words and (config.vocab, config.length) != (recipe.vocab, recipe.length):
        said.insert(0, say("differs.sizes", vocab=config.vocab, length=config.length))
    return " · ".join(said) or say("differs.nothing")


def _said(say: Words, name: str, value: object) -> str:
    return say(f"differs.{name}", value=number(value) if isinstance(value, int | float) else value)


# Earlier runs, quietly behind the curves of the one on the page.


def ghosts(chapter: AnyChapter, config: TrainConfig) -> list[Ghost]:
    """Those of the same task, by their number and name in the table of runs; the rival is one of them."""
    mine = session()
    rival = mine.beside.config if mine.beside else None
    return [
        Ghost(f"{at}: {name_of(chapter.say, past.config)}", _curve(past.loss), _curve(past.match), past.config == rival)
        for at, past in enumerate(mine.past, 1)
        if past.config != config and alike(past.config, config)
    ]


def _curve(line: np.ndarray) -> Curve:
    return line[0], line[1]


def alike(one: TrainConfig, other: TrainConfig) -> bool:
    """Whether their losses mean the same: guessing costs as much."""
    return all(getattr(one, name) == getattr(other, name) for name in ("task", "direction", "pairs", "tgt_vocab"))
