"""All heads."""

from ui.settings.heads import Heads
from ui.shell import close_chapter, open_chapter

chapter = open_chapter("heads", Heads)
close_chapter(chapter)
