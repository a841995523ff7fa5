"""The backward pass told: one wrong word's gradient, back to the words that were read, and why something arrives."""

from ui.chapters.backward.story import scenes, why
from ui.chapters.backward.story.inquiry import HANDED_ON
from ui.chapters.backward.story.values import values
from ui.sections.scene import story

STORY = story(
    values,
    (scenes.begin, scenes.through, scenes.both, why.deep, why.soft, scenes.memory, scenes.step),
    {"through": HANDED_ON},
)
