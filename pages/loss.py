"""Loss and learning rate."""

from ui.settings.loss import Loss
from ui.shell import close_chapter, open_chapter

chapter = open_chapter("loss", Loss)
close_chapter(chapter)
