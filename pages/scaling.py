"""Softmax and scaling."""

from ui.settings.scaling import Scaling
from ui.shell import close_chapter, open_chapter

chapter = open_chapter("scaling", Scaling)
close_chapter(chapter)
