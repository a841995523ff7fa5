"""The whole forward pass, one tensor at a time (paper, figure 1)."""

from ui.chapters.shared.difference import difference
from ui.chapters.walkthrough.settings import Walkthrough
from ui.chapters.walkthrough.walk import reading, step, walk
from ui.frame.opening import close_chapter, open_chapter
from ui.page.section import Section
from ui.page.sections import sections

chapter = open_chapter("walkthrough", Walkthrough)
lead = Section("walk", walk, look="lead", step=step)
sections(chapter, lead, *difference(chapter), Section("reading", reading, look="open"))
close_chapter(chapter)
