"""Why √d_k, told: longer vectors spread the scores, one key takes all, no gradient gets back; divided, it does."""

from ui.chapters.scaling.story import scenes
from ui.chapters.scaling.story.inquiry import TOWERS
from ui.chapters.scaling.story.values import values
from ui.sections.scene import story

STORY = story(
    values,
    (scenes.spread, scenes.collapse, scenes.closes, scenes.reopens, scenes.every),
    {"spread": TOWERS},
    fixed=True,
)
