"""Label smoothing, the divergence per position, and the Noam rate (paper, sections 5.3 and 5.4)."""

from functools import partial

from ui.labs.loss_divergence import divergence_lab
from ui.labs.loss_random import random_lab
from ui.labs.loss_rate import rate_lab
from ui.labs.loss_targets import targets_lab
from ui.section import section
from ui.settings.loss import Loss
from ui.shell import close_chapter, open_chapter

chapter = open_chapter("loss", Loss)


def divergence() -> None:
    divergence_lab(chapter)
    chapter.write("divergence_formula", "divergence_why")


def rate() -> None:
    rate_lab(chapter)
    chapter.write("rate_formula", "rate_why")


targets_lab(chapter)
chapter.write("see", "formula", "misread")
section(chapter, "divergence", divergence, text="text", owns="asked_smoothing cell")
section(chapter, "rate", rate, text="text", owns="width factor warmup at")
section(chapter, "random", partial(random_lab, chapter), text="text", owns="learned random_seed trained")
close_chapter(chapter)
