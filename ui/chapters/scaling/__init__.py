"""Softmax and the scale 1/√d_k (paper, section 3.2.1 and its footnote 4)."""

from ui.chapters.scaling import notes, runs, size, steps
from ui.chapters.scaling.story import STORY
from ui.sections import deeper
from ui.sections.contents import Contents

CONTENTS = Contents(
    "scaling",
    (STORY, steps.steps, size.size, runs.with_and_without, notes.warm, deeper(notes.attending_to_itself, notes.notes)),
)
