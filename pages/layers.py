"""Layers."""

from ui.settings.layers import Layers
from ui.shell import close_chapter, open_chapter

chapter = open_chapter("layers", Layers)
close_chapter(chapter)
