"""Forward pass."""

from ui.settings.walkthrough import Walkthrough
from ui.shell import close_chapter, open_chapter

chapter = open_chapter("walkthrough", Walkthrough)
close_chapter(chapter)
