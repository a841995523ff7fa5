"""Why the dashed line is where it is, and what a model below it must know."""

import math
from dataclasses import replace

from transformer_core.training.config import TrainConfig
from transformer_core.training.guess import guess_of
from ui.chapters.training.controls import shown_run
from ui.chapters.training.recipe import Recipe
from ui.sections import AnyChapter, Choice, Section
from ui.sections.inquiry import Inquiry, Version, inquire, ranked, short

GUESS = Choice("ask_guess", ("share", "log", "count"), right="log")
SIZES = 12, 21, 30, 51, 101, 401  # of vocabularies


def of_another(config: TrainConfig, seed: int) -> Version | None:
    """Of another vocabulary than the run's, without label smoothing."""
    sizes = [size for size in SIZES if size != config.tgt_vocab]
    size = sizes[seed % len(sizes)]
    other = replace(TrainConfig(), vocab=size, smoothing=0.0)
    loss, tokens = guess_of(other), size - 1
    said = {"size": size, "tokens": tokens, "loss": short(loss), "here": short(math.log(config.tgt_vocab - 1))}
    labels = ranked({"share": 1 / tokens, "log": loss, "count": tokens})
    return Version("log", said | {"own": config.tgt_vocab - 1}, labels)


GUESSED = Inquiry(GUESS, ("misses", "price", "tries"), "price", of_another)


@Section("guessing", reads=(Recipe,), inquires=(GUESSED,))
def guessing(chapter: AnyChapter) -> None:
    config = shown_run(chapter.of(Recipe))
    if inquire(chapter, GUESSED, lambda: config):
        chapter.write("formula", "why" if config.words is None else "why_words")
