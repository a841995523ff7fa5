"""Drawing the next token, and searching with a beam (paper, section 6.1)."""

from ui.chapters.shared.difference import difference
from ui.chapters.ways.beam import beam
from ui.chapters.ways.candidates import candidates
from ui.chapters.ways.draw import draw, reading, step
from ui.chapters.ways.mistake import mistake
from ui.chapters.ways.settings import Ways
from ui.frame.opening import close_chapter, open_chapter
from ui.page.section import Section
from ui.page.sections import sections

chapter = open_chapter("ways", Ways)
counted = Section("candidates", candidates, owns="beam_turn beam_cell", text="text")
compared = Section("mistake", mistake, owns="greedy_cell", text="text")
searched = Section("beam", beam, look="open", text="text", parts=(counted, compared))
lead = Section("draw", draw, look="lead", step=step, parts=(*difference(chapter), searched))
sections(chapter, lead, Section("reading", reading))
close_chapter(chapter)
