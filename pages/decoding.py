"""Greedy decoding, one token at a time (paper, section 3.1)."""

from ui.chapters.decoding.alignment import alignment
from ui.chapters.decoding.settings import Decoding
from ui.chapters.decoding.turns import reading, step, turns
from ui.chapters.shared.difference import difference
from ui.section import Section, sections
from ui.shell import close_chapter, open_chapter

chapter = open_chapter("decoding", Decoding)
aligned = Section("alignment", alignment, look="open", text="text", step=step)
lead = Section("turns", turns, look="lead", step=step, parts=(aligned,))
sections(chapter, lead, *difference(chapter), Section("reading", reading, look="open"))
close_chapter(chapter)
