"""Positions."""

from ui.settings.positions import Positions
from ui.shell import close_chapter, open_chapter

chapter = open_chapter("positions", Positions)
close_chapter(chapter)
