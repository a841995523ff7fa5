"""What a model can learn here: each task with its vocabularies, random pairs, held-out pairs and alignment."""

from transformer_core.tasks.letters import Letters
from transformer_core.tasks.numbers import Copy, RandomAnswers
from transformer_core.tasks.task import Task
from transformer_core.tasks.translation import Translation
from transformer_core.tasks.vocabulary import UnknownWord, Vocabulary

__all__ = ["Copy", "Letters", "RandomAnswers", "Task", "Translation", "UnknownWord", "Vocabulary"]
