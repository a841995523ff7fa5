"""The map: the paper's figure 1, whose blocks lead to the chapters."""

from ui.chapters.map.blocks import the_map
from ui.chapters.map.parameters import scale, tree
from ui.chapters.map.settings import Overview
from ui.chapters.shared.difference import difference
from ui.frame.opening import close_chapter, open_chapter
from ui.page.section import Section
from ui.page.sections import sections
from ui.settings.chapters import MAP

chapter = open_chapter(MAP, Overview)
sections(
    chapter,
    Section("figure_one", the_map, look="lead", whole=True),
    *difference(chapter),
    Section("scale", scale, look="open", text="text"),
    Section("tree", tree, look="open", text="text"),
)
close_chapter(chapter)
