"""Decoding told: the likeliest token is written and read again; another one in its place makes another future; and
training, which has the right answer, beside it."""

from ui.chapters.decoding.story.fork import fork
from ui.chapters.decoding.story.inquiry import FORKED
from ui.chapters.decoding.story.lanes import lanes
from ui.chapters.decoding.story.loop import begin, loop
from ui.chapters.decoding.story.values import values
from ui.sections.scene import story

STORY = story(values, (begin, loop, fork, lanes), {"loop": FORKED})
