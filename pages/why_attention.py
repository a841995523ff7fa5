"""Recurrence, convolution and self-attention side by side (paper, section 4 and table 1)."""

from ui.chapters.why_attention.cost import cost_lab
from ui.chapters.why_attention.measured import measured_lab
from ui.chapters.why_attention.path import path_lab
from ui.chapters.why_attention.rivals import rivals_lab
from ui.chapters.why_attention.settings import WhyAttention
from ui.frame.opening import close_chapter, open_chapter
from ui.page.section import Section
from ui.page.sections import sections

chapter = open_chapter("why_attention", WhyAttention)
sections(
    chapter,
    Section("cost", cost_lab, look="lead"),
    Section("path", path_lab, "path reach reach_kernel reach_cell", text="text"),
    Section("measured", measured_lab, "size way against", text="text", why="why"),
    Section("rivals", rivals_lab, "updates run_seed seconds trained", text="text", why="why"),
)
close_chapter(chapter)
