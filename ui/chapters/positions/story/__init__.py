"""Order, told: an encoder without position codes cannot see it; clocks join the places, and then it can."""

from ui.chapters.positions.story import scenes
from ui.chapters.positions.story.inquiry import ORDERED
from ui.chapters.positions.story.values import values
from ui.page.story import Scene, Story

STORY = Story(
    values,
    (
        Scene("order", scenes.order, asks=ORDERED),
        Scene("moved", scenes.moved),
        Scene("clocks", scenes.clocks),
        Scene("differ", scenes.differ),
        Scene("waves", scenes.waves),
    ),
).section()
