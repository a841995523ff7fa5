"""Greedy decoding, one token at a time (paper, section 3.1)."""

from ui.chapters.decoding.alignment import alignment
from ui.chapters.decoding.cache import cache
from ui.chapters.decoding.lanes import lanes
from ui.chapters.decoding.questions import LESSON
from ui.chapters.decoding.settings import Decoding
from ui.chapters.decoding.turns import reading, step, turns
from ui.chapters.decoding.untrained import untrained
from ui.chapters.shared.difference import difference
from ui.frame.opening import close_chapter, open_chapter
from ui.page.section import Section
from ui.page.sections import sections

chapter = open_chapter("decoding", Decoding)
aligned = Section("alignment", alignment, look="open", text="text", step=step)
laned = Section("lanes", lanes, "slip slip_token lane_head lanes_cell looks_cell parting", text="text")
cached = Section("cache", cache, "cache_turns anew", text="text")
new = Section("untrained", untrained, "untrained_seed untrained_cell", text="text")
parts = (aligned, *difference(chapter), laned, cached)
lead = Section("turns", turns, look="lead", step=step, parts=parts, lesson=LESSON)
sections(chapter, lead, Section("reading", reading, look="open"), new)
close_chapter(chapter)
