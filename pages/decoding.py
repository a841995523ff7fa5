"""Decoding."""

from ui.settings.decoding import Decoding
from ui.shell import close_chapter, open_chapter

chapter = open_chapter("decoding", Decoding)
close_chapter(chapter)
