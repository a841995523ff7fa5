"""Six ways to get a mask wrong, each a section of its own."""

from ui.chapters.masks.axis import axis_lab
from ui.chapters.masks.convention import convention_lab
from ui.chapters.masks.own_batch import own_batch_lab
from ui.chapters.masks.reading import reading_lab
from ui.chapters.masks.slice import slice_lab
from ui.chapters.masks.triu import triangle_lab
from ui.page.lecture import through
from ui.page.section import Section

TRAPS = (
    Section("reading", reading_lab, "read_as reading_cell", text="text", step=through("read_as")),
    Section("triu", triangle_lab, "triu_cell", text="text"),
    Section("convention", convention_lab, "convention_cell printed printed_cell", text="text"),
    Section("axis", axis_lab, "unsqueeze batch heads axis_cell", text="text", step=through("unsqueeze")),
    Section("slice", slice_lab, "slice_size slice_queries slice_cell", text="text", why="why"),
    Section("own", own_batch_lab, "own_paddings own_cell", text="text", why="why"),
)
