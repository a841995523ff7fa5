"""All heads of all layers (paper, section 3.2.2)."""

from functools import partial

from ui.chapters.heads.aligned_sentences import aligned_sentences
from ui.chapters.heads.alignment import alignment
from ui.chapters.heads.experiments import experiments
from ui.chapters.heads.heads_aligned import heads_aligned
from ui.chapters.heads.merge import merged_heads
from ui.chapters.heads.numbers import numbers
from ui.chapters.heads.opened import opened_head
from ui.chapters.heads.questions import LESSON
from ui.chapters.heads.settings import Heads
from ui.chapters.heads.view import view_lab
from ui.chapters.heads.wall import all_heads
from ui.chapters.shared.attention_values import typed
from ui.chapters.shared.difference import difference
from ui.frame.opening import close_chapter, open_chapter
from ui.page.section import Section
from ui.page.sections import sections

OF_THE_MERGE = "size merge_kind merge_layer merge_first merge_cell share_cell size_cell"

chapter = open_chapter("heads", Heads)
sequences = typed(chapter)
compared, view = difference(chapter), Section("view", view_lab, text="text", why="why", owns="view_cell")
every: tuple[Section, ...] = (*compared, view)
if sequences:
    opened = Section("opened", partial(opened_head, sequences=sequences), owns="cell opened")
    every = (
        Section(
            "wall", partial(all_heads, sequences=sequences), look="lead", why="text", parts=(opened,), lesson=LESSON
        ),
        *compared,
        Section("alignment", partial(alignment, sequences=sequences), look="open", text="text"),
        Section("heads_aligned", partial(heads_aligned, sequences=sequences), owns="hit_cell", why="why"),
        Section("aligned_sentences", aligned_sentences, owns="many_cell", text="text"),
        Section("numbers", partial(numbers, sequences=sequences), owns="never number_cell"),
        *experiments(sequences),
        Section("merge", partial(merged_heads, sequences=sequences), owns=OF_THE_MERGE),
        view,
    )
sections(chapter, *every)
close_chapter(chapter)
