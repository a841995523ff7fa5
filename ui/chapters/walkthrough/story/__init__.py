"""The forward pass told: figure 1 as a strip on which a mark says where we are, and what is made of what there."""

from ui.chapters.walkthrough.story.decoder import ask, choose, following
from ui.chapters.walkthrough.story.encoder import collect, compare, project, rows, think
from ui.chapters.walkthrough.story.inquiry import SHAPED
from ui.chapters.walkthrough.story.values import values
from ui.page.story import Scene, Story

STORY = Story(
    values,
    (
        Scene("rows", rows),
        Scene("project", project, asks=SHAPED),
        Scene("compare", compare),
        Scene("collect", collect),
        Scene("think", think),
        Scene("ask", ask),
        Scene("choose", choose),
        Scene("following", following),
    ),
).section()
