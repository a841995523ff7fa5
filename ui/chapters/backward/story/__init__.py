"""The backward pass told: one wrong word's push, back to the words that were read, and why something arrives there."""

from ui.chapters.backward.story import scenes, why
from ui.chapters.backward.story.inquiry import HANDED_ON
from ui.chapters.backward.story.values import values
from ui.page.story import Scene, Story

STORY = Story(
    values,
    (
        Scene("begin", scenes.begin),
        Scene("through", scenes.through, asks=HANDED_ON),
        Scene("both", scenes.both),
        Scene("deep", why.deep),
        Scene("soft", why.soft),
        Scene("memory", scenes.memory),
        Scene("step", scenes.step),
    ),
).section()
