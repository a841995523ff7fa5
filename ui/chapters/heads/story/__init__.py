"""All heads told: beams from an output word to the source; one head off, and the output is written anew; the wall."""

from ui.chapters.heads.story.beams import one, turns
from ui.chapters.heads.story.chosen import values
from ui.chapters.heads.story.inquiry import SPARED
from ui.chapters.heads.story.off import off, often
from ui.chapters.heads.story.small import wall
from ui.sections.scene import story

STORY = story(values, (one, turns, off, often, wall), {"off": SPARED})
