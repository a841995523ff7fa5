"""Tokens, padding, embedding × √d_model (paper, section 3.4)."""

from ui.chapters.shared.difference import difference
from ui.chapters.tokens.equal import equal_rows
from ui.chapters.tokens.lookup import lookup
from ui.chapters.tokens.padding import padding
from ui.chapters.tokens.padding_four import four
from ui.chapters.tokens.printed import printed_rows
from ui.chapters.tokens.settings import Tokens
from ui.chapters.tokens.sizes import sizes
from ui.chapters.tokens.zero_row import zero_row
from ui.frame.opening import close_chapter, open_chapter
from ui.page.lecture import through
from ui.page.section import Section
from ui.page.sections import sections

DEEPER = (
    Section("padding", padding, owns="left right top bottom pad_cell pad_shape", text="lead"),
    Section("four", four, owns="pairs four_cell", text="text", step=through("pairs")),
    Section("zero", zero_row, owns="zero_row zero_cell learned", text="lead"),
    Section("printed", printed_rows, owns="printed printed_cell rows_cell", text="lead"),
)

chapter = open_chapter("tokens", Tokens)
sections(
    chapter,
    Section("lookup", lookup, look="lead", why="text"),
    *difference(chapter),
    Section("sizes", sizes, owns="init small", text="lead"),
    Section("equal_rows", equal_rows, owns="repeated positions repeat_cell equal", text="lead"),
    Section("deeper", look="open", text="text", parts=DEEPER),
)
close_chapter(chapter)
