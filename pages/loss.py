"""Label smoothing, the divergence per position, and the Noam rate (paper, sections 5.3 and 5.4)."""

from ui.labs.loss_divergence import divergence
from ui.labs.loss_random import random_answers
from ui.labs.loss_rate import rate
from ui.labs.loss_targets import targets
from ui.section import Section, sections
from ui.settings.loss import Loss
from ui.shell import close_chapter, open_chapter

chapter = open_chapter("loss", Loss)
sections(
    chapter,
    Section("targets", targets, look="lead"),
    Section("divergence", divergence, owns="asked_smoothing cell", text="text"),
    Section("rate", rate, owns="width factor warmup at", text="text"),
    Section("random", random_answers, owns="learned random_seed trained", text="text"),
)
close_chapter(chapter)
