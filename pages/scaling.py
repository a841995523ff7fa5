"""Softmax and the scale 1/√d_k (paper, section 3.2.1 and its footnote 4)."""

from functools import partial

from ui.chapters.scaling.notes import notes
from ui.chapters.scaling.questions import LESSON
from ui.chapters.scaling.runs import with_and_without
from ui.chapters.scaling.scores import asked
from ui.chapters.scaling.self import attending_to_itself
from ui.chapters.scaling.settings import Scaling
from ui.chapters.scaling.size import size
from ui.chapters.scaling.steps import steps
from ui.chapters.scaling.warm import warm
from ui.section import Section, sections
from ui.shell import close_chapter, open_chapter

OF_ITSELF = "width enlarge divide self_cell ask_self"
DEEPER = (
    Section("self", attending_to_itself, owns=OF_ITSELF, text="text", why="why", asks=LESSON),
    Section("notes", notes, look="open"),
)

chapter = open_chapter("scaling", Scaling)
sections(
    chapter,
    Section("steps", partial(steps, known=asked(chapter)), look="lead", asks=LESSON),
    Section("size", size, owns="spread d_k seed few_cell", text="text"),
    Section("run", with_and_without, owns="run_heads trained run_seed ask_start", text="text", why="why", asks=LESSON),
    Section("warm", warm, owns="warm_cell", text="text"),
    Section("deeper", look="open", text="text", parts=DEEPER),
)
close_chapter(chapter)
