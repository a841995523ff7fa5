"""The forward pass told: figure 1 as a strip on which a mark says where we are, and what is made of what there."""

from ui.chapters.walkthrough.story.decoder import ask, choose, following
from ui.chapters.walkthrough.story.encoder import collect, compare, project, rows, think
from ui.chapters.walkthrough.story.inquiry import SHAPED
from ui.chapters.walkthrough.story.values import values
from ui.sections.scene import story

STORY = story(values, (rows, project, compare, collect, think, ask, choose, following), {"project": SHAPED})
