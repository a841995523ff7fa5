"""Order, told: an encoder without position codes cannot see it; clocks join the places, and then it can."""

from ui.chapters.positions.story import scenes
from ui.chapters.positions.story.values import values
from ui.page.predict import Choice
from ui.page.story import Scene, Story

GUESS = Choice("story_order", ("moved", "changed", "stayed"), right="moved")

STORY = Story(
    values,
    (
        Scene("order", scenes.order, asks=GUESS),
        Scene("moved", scenes.moved),
        Scene("clocks", scenes.clocks),
        Scene("differ", scenes.differ),
        Scene("waves", scenes.waves),
    ),
).section()
