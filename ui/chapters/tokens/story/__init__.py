"""A word told into numbers: its id, its row of the table, its strip; the same word, the same strip."""

from ui.chapters.tokens.story import scenes
from ui.chapters.tokens.story.inquiry import LOOKED_UP
from ui.chapters.tokens.story.values import values
from ui.sections.scene import story

STORY = story(values, (scenes.numbers, scenes.row, scenes.strip, scenes.scale, scenes.twice), {"scale": LOOKED_UP})
