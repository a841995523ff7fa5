"""The map: the paper's figure 1, whose blocks lead to the chapters."""

from ui.chapters.map.blocks import the_map
from ui.chapters.map.parameters import scale, tree
from ui.chapters.map.settings import Overview
from ui.chapters.shared.difference import difference
from ui.section import Section, sections
from ui.settings.chapters import MAP
from ui.shell import close_chapter, open_chapter

chapter = open_chapter(MAP, Overview)
sections(
    chapter,
    Section("figure_one", the_map, look="lead", whole=True),
    *difference(chapter),
    Section("scale", scale, look="open", text="text"),
    Section("tree", tree, look="open", text="text"),
)
close_chapter(chapter)
