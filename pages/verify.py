"""Every claim about the code and the model at hand, measured; and one thing broken, to see what notices."""

from ui.chapters.shared.difference import difference
from ui.chapters.verify.checks import checks, reading
from ui.chapters.verify.settings import Verify
from ui.section import Section, sections
from ui.shell import close_chapter, open_chapter

chapter = open_chapter("verify", Verify)
lead = Section("checks", checks, look="lead")
sections(chapter, lead, *difference(chapter), Section("reading", reading, look="open"))
close_chapter(chapter)
