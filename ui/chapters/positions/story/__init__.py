"""Order, told: an encoder without position codes cannot see it; clocks join the places, and then it can."""

from ui.chapters.positions.story import scenes
from ui.chapters.positions.story.inquiry import ORDERED
from ui.chapters.positions.story.values import values
from ui.sections.scene import story

STORY = story(values, (scenes.order, scenes.moved, scenes.clocks, scenes.differ, scenes.waves), {"order": ORDERED})
