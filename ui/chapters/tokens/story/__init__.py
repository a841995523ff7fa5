"""A word told into numbers: its id, its row of the table, its strip; the same word, the same strip."""

from ui.chapters.tokens.story import scenes
from ui.chapters.tokens.story.inquiry import LOOKED_UP
from ui.chapters.tokens.story.values import values
from ui.page.story import Scene, Story

STORY = Story(
    values,
    (
        Scene("numbers", scenes.numbers),
        Scene("row", scenes.row),
        Scene("strip", scenes.strip),
        Scene("scale", scenes.scale, asks=LOOKED_UP),
        Scene("twice", scenes.twice),
    ),
).section()
