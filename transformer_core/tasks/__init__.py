"""What a model can learn here: each task with its vocabularies, random pairs, held-out pairs and alignment."""

from functools import lru_cache

from transformer_core.tasks.copy_task import Copy
from transformer_core.tasks.letters import Letters
from transformer_core.tasks.own_pairs import NotPairs, OwnPairs
from transformer_core.tasks.random_task import RandomAnswers
from transformer_core.tasks.task import Task
from transformer_core.tasks.translation import Translation
from transformer_core.tasks.vocabulary import UnknownWord, Vocabulary

__all__ = [
    "Copy",
    "Letters",
    "NotPairs",
    "OwnPairs",
    "RandomAnswers",
    "Task",
    "Translation",
    "UnknownWord",
    "Vocabulary",
    "WordTask",
    "pairs_task",
    "word_task",
]

WordTask = Letters | Translation | OwnPairs  # it brings its own vocabularies and lengths
_LETTERS: dict[str, Letters] = {task.name: task for task in (Letters("reverse"), Letters("sort"))}


@lru_cache
def word_task(name: str, direction: str) -> WordTask | None:
    """The task of that name; None if it is none of letters or words. `direction` is the translation's."""
    return Translation(direction) if name == "translate" else _LETTERS.get(name)


@lru_cache(maxsize=16)  # of a megabyte each, at most, where it is a reader's
def pairs_task(text: str) -> OwnPairs:
    """The task of these lines. NotPairs if there is none."""
    return OwnPairs(text)
