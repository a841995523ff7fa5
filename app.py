"""The map: the paper's figure 1, whose blocks lead to the chapters."""

from ui.settings.chapters import MAP
from ui.shell import close_chapter, open_chapter

chapter = open_chapter(MAP)
close_chapter(chapter)
