"""Masks told: a card uncovers the answer row by row; lifted, what is to be guessed can be read; padding is covered."""

from ui.chapters.masks.story.answer import card, table
from ui.chapters.masks.story.experiments import values
from ui.chapters.masks.story.inquiry import COVERED
from ui.chapters.masks.story.lifted import alone, leak, padding
from ui.page.story import Scene, Story

STORY = Story(
    values,
    (
        Scene("card", card),
        Scene("table", table, asks=COVERED),
        Scene("leak", leak),
        Scene("alone", alone),
        Scene("padding", padding),
    ),
).section()
