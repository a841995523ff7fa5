"""Training."""

from ui.settings.training import Training
from ui.shell import close_chapter, open_chapter

chapter = open_chapter("training", Training)
close_chapter(chapter)
