"""Every claim about the code and the model at hand, measured; and one thing broken, to see what notices."""

from ui.chapters.shared.difference import difference
from ui.chapters.verify.checks import checks, reading
from ui.chapters.verify.own import own
from ui.chapters.verify.settings import Verify
from ui.frame.opening import close_chapter, open_chapter
from ui.page.section import Section
from ui.page.sections import sections

chapter = open_chapter("verify", Verify)
parts = (
    *difference(chapter),
    Section("reading", reading, look="open"),
    Section("own", own, owns="own_layer own_head own_cell", text="text", why="why"),
)
sections(chapter, Section("checks", checks, look="lead", parts=parts))
close_chapter(chapter)
