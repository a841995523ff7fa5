"""Label smoothing, the divergence per position, and the Noam rate (paper, sections 5.3 and 5.4)."""

from ui.chapters.loss.divergence import divergence
from ui.chapters.loss.questions import LESSON
from ui.chapters.loss.random import random_answers
from ui.chapters.loss.rate import rate
from ui.chapters.loss.settings import Loss
from ui.chapters.loss.targets import targets
from ui.chapters.shared.difference import difference
from ui.frame.opening import close_chapter, open_chapter
from ui.page.section import Section
from ui.page.sections import sections

DEEPER: tuple[Section, ...] = (
    Section("misread", text="text"),
    Section("random", random_answers, owns="learned random_seed trained", text="text"),
)

chapter = open_chapter("loss", Loss)
sections(
    chapter,
    Section("targets", targets, look="lead", lesson=LESSON),
    *difference(chapter),
    Section("divergence", divergence, owns="asked_smoothing cell", text="text"),
    Section("rate", rate, owns="width factor warmup at ask_warmup", text="text", lesson=LESSON),
    Section("deeper", look="open", text="text", parts=DEEPER),
)
close_chapter(chapter)
