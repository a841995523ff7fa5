"""One head."""

from ui.settings.attention import Attention
from ui.shell import close_chapter, open_chapter

chapter = open_chapter("attention", Attention)
close_chapter(chapter)
