"""Look-ahead and padding masks (paper, sections 3.1 and 3.2.3)."""

from ui.chapters.masks.fill import fill_lab
from ui.chapters.masks.look_ahead import look_ahead_lab
from ui.chapters.masks.padding import padding_lab
from ui.chapters.masks.probes import probes
from ui.chapters.masks.questions import LESSON
from ui.chapters.masks.rows import rows_lab
from ui.chapters.masks.settings import Masks
from ui.chapters.masks.traps import TRAPS
from ui.chapters.shared.difference import difference
from ui.frame.opening import close_chapter, open_chapter
from ui.page.section import Section
from ui.page.sections import sections

of_the_batch = (
    Section("fill", fill_lab, "blank fill_with fill_scores fill_mask fill_cell", text="text"),
    Section("rows", rows_lab, "head front rows_cell", text="text", why="why"),
)

chapter = open_chapter("masks", Masks)
sections(
    chapter,
    Section("look_ahead", look_ahead_lab, look="lead"),
    *difference(chapter),
    Section("both", padding_lab, look="open", text="text", why="why", parts=of_the_batch, lesson=LESSON),
    Section("probes", probes, "future ahead_on causal_cell paddings drift_cell", text="text"),
    Section("traps", look="open", text="text", parts=TRAPS),
)
close_chapter(chapter)
