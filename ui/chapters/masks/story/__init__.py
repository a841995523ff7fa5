"""Masks told: a card uncovers the answer row by row; lifted, the words to be guessed can be read, and nothing else is
learned; padding is covered."""

from ui.chapters.masks.story.answer import card, table
from ui.chapters.masks.story.experiments import values
from ui.chapters.masks.story.inquiry import COVERED
from ui.chapters.masks.story.lifted import alone, leak, padding, peeks
from ui.sections.scene import story

STORY = story(values, (card, table, leak, alone, peeks, padding), {"table": COVERED})
