"""Why √d_k, told: longer vectors spread the scores, one key takes all, no gradient gets back; divided, it does."""

from ui.chapters.scaling.story import scenes
from ui.chapters.scaling.story.values import values
from ui.page.predict import Choice
from ui.page.story import Scene, Story

GUESS = Choice("story_far", ("tower", "proportion", "even"), right="tower")

STORY = Story(
    values,
    (
        Scene("spread", scenes.spread, asks=GUESS),
        Scene("collapse", scenes.collapse),
        Scene("closes", scenes.closes),
        Scene("reopens", scenes.reopens),
        Scene("every", scenes.every),
    ),
).section()
