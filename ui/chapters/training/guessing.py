"""Why the dashed line is where it is, and what a model below it must know."""

from typing import Any

from ui.chapters.training.controls import shown_run
from ui.chapters.training.recipe import Recipe
from ui.frame.chapter import Chapter
from ui.page.section import Section


def guessing(chapter: Chapter[Any]) -> None:
    config = shown_run(chapter.of(Recipe))
    chapter.write("formula", "why" if config.words is None else "why_words")


GUESSING: Section[Any] = Section("guessing", guessing, reads=(Recipe,))
