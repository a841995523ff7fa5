"""Recurrence, convolution and self-attention side by side (paper, section 4 and table 1)."""

from ui.chapters.why_attention import cost, measured, path, rivals
from ui.chapters.why_attention.story import STORY
from ui.sections.contents import Contents

CONTENTS = Contents("why_attention", (STORY, cost.table_1, path.path, measured.measured, rivals.rivals))
