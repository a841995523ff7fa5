"""Why √d_k, told: longer vectors spread the scores, one key takes all, no gradient gets back; divided, it does."""

from ui.chapters.scaling.story import scenes
from ui.chapters.scaling.story.inquiry import TOWERS
from ui.chapters.scaling.story.values import values
from ui.page.story import Scene, Story

STORY = Story(
    values,
    (
        Scene("spread", scenes.spread, asks=TOWERS),
        Scene("collapse", scenes.collapse),
        Scene("closes", scenes.closes),
        Scene("reopens", scenes.reopens),
        Scene("every", scenes.every),
    ),
).section()
