"""What a run is called beside others: its task, and what differs from the recipe that the task is learned with."""

from transformer_core.training.config import TrainConfig
from ui.figures import number
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
    """A switch by what is without it, a number by its letter."""
    return say(f"differs.{name}", value=number(value) if isinstance(value, int | float) else value)
