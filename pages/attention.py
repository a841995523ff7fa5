"""One head of scaled dot-product attention, stage by stage (paper, section 3.2.1)."""

from dataclasses import replace
from functools import partial

from ui.chapters.attention.dropout import dropped_weights
from ui.chapters.attention.projection import projections
from ui.chapters.attention.questions import LESSON, SUMS
from ui.chapters.attention.settings import Attention
from ui.chapters.attention.stages import chosen_head, head_controls, step
from ui.chapters.shared.attention_values import typed
from ui.chapters.shared.difference import difference
from ui.frame.opening import close_chapter, open_chapter
from ui.page.lecture import through
from ui.page.section import Section
from ui.page.sections import sections

chapter = open_chapter("attention", Attention)
sequences = typed(chapter)
stages = Section(
    "stages",
    partial(chosen_head, sequences=sequences),
    look="lead",
    step=step,
    controls=head_controls,
    lesson=(SUMS, *LESSON),
)
if sequences:
    project, drop = partial(projections, sequences=sequences), partial(dropped_weights, sequences=sequences)
    stages = replace(
        stages,
        before=(Section("projection", project, "part part_first part_cell", step=through("part")),),
        parts=(Section("dropout", drop, "p seed drop_cell kept"),),
    )
sections(chapter, stages, *difference(chapter))
close_chapter(chapter)
