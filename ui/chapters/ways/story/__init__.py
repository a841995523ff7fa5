"""Ways to decode told: a drop on a strip that probabilities divide, what temperature and top-p make of it, a beam."""

from ui.chapters.ways.story.beam import beam
from ui.chapters.ways.story.inquiry import SQUEEZED
from ui.chapters.ways.story.strip import cut, drop, strip, temperature
from ui.chapters.ways.story.values import values
from ui.sections.scene import story

STORY = story(values, (strip, drop, temperature, cut, beam), {"drop": SQUEEZED})
