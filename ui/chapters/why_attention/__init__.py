"""Recurrence, convolution and self-attention side by side (paper, section 4 and table 1)."""

from ui.chapters.why_attention.cost import COST
from ui.chapters.why_attention.measured import MEASURED
from ui.chapters.why_attention.path import PATHS
from ui.chapters.why_attention.rivals import RIVALS
from ui.chapters.why_attention.story import STORY
from ui.page.contents import Contents

CONTENTS = Contents("why_attention", (STORY, COST, PATHS, MEASURED, RIVALS))
