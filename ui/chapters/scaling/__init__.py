"""Softmax and the scale 1/√d_k (paper, section 3.2.1 and its footnote 4)."""

from typing import Any

from ui.chapters.scaling.notes import NOTES
from ui.chapters.scaling.runs import RUN
from ui.chapters.scaling.self import SELF
from ui.chapters.scaling.size import SIZE
from ui.chapters.scaling.steps import STEPS
from ui.chapters.scaling.story import STORY
from ui.chapters.scaling.warm import WARM
from ui.page.contents import Contents
from ui.section import Section

DEEPER: Section[Any] = Section("deeper", look="open", text="text", parts=(SELF, NOTES))
CONTENTS = Contents("scaling", (STORY, STEPS, SIZE, RUN, WARM, DEEPER))
